/** SEMANTICS: whatever programs do to files in whatever order, they see what POSIX promises, and the service ends up with it. */
import * as fc from 'fast-check';
import { it } from 'vitest';
import { drained } from '../support/drained.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { PROPERTY_TIMEOUT, propertySettings } from '../support/property-settings.ts';
import { FileModel } from './file-model.ts';
import { earlierFiles, fileOperations, type FileOperation } from './file-operations.ts';
import { programInProcess } from './program-in-process.ts';
import { bytesUnder, namesBelow } from './service-contents.ts';
import { openWorld, worldChoices, type World, type WorldChoices } from './world.ts';

it.each([
  ['', 500, false],
  [', with write-back when everything has reached it', 100, true],
] as const)(
  'shows every program the same bytes as a model does, and leaves exactly these on the service%s',
  async (_, runs, writeBack) => {
    await fc.assert(
      fc.asyncProperty(worldChoices, earlierFiles, fileOperations, async (choices, earlier, operations) => {
        const world = await openWorld({ ...choices, writeBack });
        try {
          const model = modelOf(world, choices);
          for (const { path, size } of earlier) {
            const bytes = Buffer.from(patternedBytes(size, 77));
            await world.direct.putObject(world.bucket, path.slice(1), uploadOf(bytes));
            model.begin(path, bytes);
          }
          await play(world, model, operations);
        } finally {
          await world.close();
        }
      }),
      propertySettings(runs),
    );
  },
  PROPERTY_TIMEOUT,
);

function modelOf({ mounted, direct, bucket }: World, { memoryLimit }: WorldChoices): FileModel {
  const files = programInProcess(mounted.operations);
  const stored = (path: string): Promise<Buffer | null> => bytesUnder(direct, bucket, path.slice(1));
  return new FileModel({ files, top: '', memoryLimit, stored });
}

async function play(
  { mounted, direct, bucket }: World,
  model: FileModel,
  operations: readonly FileOperation[],
): Promise<void> {
  const { folders } = await namesBelow(direct, bucket, '');
  if (!folders.has('d/')) await mounted.operations.mkdir('/d', 0o755);

  for (const operation of operations) await model.run(operation);
  await model.closeAll();
  await drained(mounted);

  const { files: keys } = await namesBelow(direct, bucket, '');
  await model.expectStored(new Set([...keys].map((key) => `/${key}`)));
}
