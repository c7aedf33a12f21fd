/** How many local files has whoever uses these open? */
import { nodeLocalFiles, type LocalFile, type LocalFiles } from '../../src/content/local-files.ts';

export interface CountedFiles extends LocalFiles {
  /** Files that were made or opened, and neither closed nor removed since. */
  readonly count: () => number;
}

export function countedFiles(): CountedFiles {
  const open = new Set<LocalFile>();
  const counted = (file: LocalFile): LocalFile => {
    open.add(file);
    const ending = (step: () => Promise<void>) => async (): Promise<void> => {
      open.delete(file);
      await step();
    };
    const [close, remove] = [ending(() => file.close()), ending(() => file.remove())];
    return new Proxy(file, {
      get: (target, name) => {
        if (name === 'close') return close;
        if (name === 'remove') return remove;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  };
  return {
    ...nodeLocalFiles,
    create: async (directory) => counted(await nodeLocalFiles.create(directory)),
    open: async (path) => counted(await nodeLocalFiles.open(path)),
    count: () => open.size,
  };
}
