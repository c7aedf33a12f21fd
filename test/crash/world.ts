/** What must the service hold after a number of calls, when each of them is wholly done or not at all? */

export interface HeldFile {
  /** SHA-256 of all bytes. */
  readonly hash: string;
  readonly isPublic: boolean;
  /** The mount that made it, while programs have only written it since; else null. */
  readonly madeIn: number | null;
}

/** By key. */
export type World = ReadonlyMap<string, HeldFile>;

/** What one call of a program stores, moves or removes once it has returned. */
export type Step =
  | { readonly kind: 'store'; readonly key: string; readonly hash: string }
  /** `hash`: of the bytes that go along, which the service need not have had. */
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly hash: string }
  | { readonly kind: 'unlink'; readonly key: string };

/** After `step`, done through the mount that has this number. */
export function after(world: World, step: Step, mount: number): World {
  const next = new Map(world);
  if (step.kind === 'unlink') next.delete(step.key);
  else if (step.kind === 'store') {
    const { isPublic, madeIn } = world.get(step.key) ?? { isPublic: false, madeIn: mount };
    next.set(step.key, { hash: step.hash, isPublic, madeIn });
  } else {
    const source = world.get(step.from) ?? { hash: step.hash, isPublic: false, madeIn: mount };
    const target = world.get(step.to);
    // SEMANTICS, [visibility/rename].
    const { isPublic } = target !== undefined && source.madeIn === mount ? target : source;
    next.delete(step.from);
    next.set(step.to, { ...source, isPublic });
  }
  return next;
}

/** What is different, a line each; none when the two hold the same. */
export function differences(wanted: World, found: World): string[] {
  const keys = [...new Set([...wanted.keys(), ...found.keys()])].sort();
  return keys.flatMap((key) => {
    const [expected, actual] = [wanted.get(key), found.get(key)];
    const isSame = expected?.hash === actual?.hash && expected?.isPublic === actual?.isPublic;
    return isSame ? [] : [`${key}: wanted ${described(expected)}, found ${described(actual)}`];
  });
}

function described(file: HeldFile | undefined): string {
  return file === undefined ? 'nothing' : `${file.isPublic ? 'public' : 'private'} ${file.hash.slice(0, 8)}`;
}
