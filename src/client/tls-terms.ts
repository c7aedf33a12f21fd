/** Who is believed to be the service, and who are we to it? */

/** All PEM text, for https only. */
export interface TlsTerms {
  /** The only authorities to believe; those that Node brings along when absent. */
  readonly ca?: string | undefined;
  /** Ours, with its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}
