/** Which certificates are used to speak with the service? Read once, at the start; each fault is one line. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { inWords } from '../../base/errors.ts';
import type { TlsTerms } from '../../client/tls-terms.ts';
import { oneLine, usageError } from '../command-error.ts';
import type { SettingName, SettingValues } from './settings-table.ts';
import { flagName } from './settings-table.ts';

type TlsSettings = Pick<SettingValues, 'caFile' | 'clientCert' | 'clientKey'>;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

/** Rejects with a usage error that names the setting and the file. */
export async function readTlsTerms(settings: TlsSettings): Promise<TlsTerms> {
  const { caFile, clientCert, clientKey } = settings;
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    throw usageError('a client certificate and its key belong together: give --client-cert and --client-key');
  }
  const ca = await read('caFile', caFile);
  const cert = await read('clientCert', clientCert);
  const key = await read('clientKey', clientKey);
  if (ca !== undefined) requireCertificates(`--ca-file ${caFile ?? ''}`, ca);
  if (cert !== undefined) requireCertificates(`--client-cert ${clientCert ?? ''}`, cert);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw usageError(
      `--client-key ${clientKey ?? ''} cannot be used with --client-cert ${clientCert ?? ''} (${oneLine(inWords(error))}): it must be the certificate's own key, as PEM, without a passphrase`,
      { cause: error },
    );
  }
  return { ca, cert, key };
}

async function read(name: SettingName, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw usageError(`${flagName(name)} ${path} cannot be read (${inWords(error, path)})`, { cause: error });
  }
}

/** What is no certificate TLS would pass over in silence. */
function requireCertificates(what: string, text: string): void {
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw usageError(`${what} holds no certificate: it must be PEM`);
  for (const certificate of certificates) {
    try {
      new X509Certificate(certificate);
    } catch (error) {
      throw usageError(`${what} holds a certificate that cannot be read (${inWords(error)})`, {
        cause: error,
      });
    }
  }
}
