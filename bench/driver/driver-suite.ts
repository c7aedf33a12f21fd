/** How fast is the kernel driver, beside the native one and beside a C program on libfuse3, over the same tree in memory? */
import { isChosen, rivalsOf, type TakeDown, type Suite, type SuiteOptions } from '../frame/suite.ts';
import { compiledCaller, nodeCaller, type Caller } from './callers.ts';
import { compilePrograms, type CompiledPrograms } from './compiler.ts';
import type { MemoryTreeOptions } from './memory-tree.ts';
import { mountByC, mountByDriver, type MountedTree } from './mounts.ts';
import { driverBars, workloadGroups, type WorkloadGroup } from './workloads.ts';

type Mount = (options: MemoryTreeOptions) => Promise<MountedTree>;

/** The first is judged. */
const SUBJECTS = ['kernel', 'native', 'C'] as const;

/** Compiles what it needs; nothing is mounted between the rounds. */
export async function openDriverSuite(options: SuiteOptions): Promise<Suite> {
  const programs = await compilePrograms();
  const { caller: callerProgram } = programs;
  const caller = callerProgram === undefined ? nodeCaller : compiledCaller(callerProgram);
  const mounts = mountsOf(programs);
  const groups = chosenGroups(options.workloads);
  const subjects = [...mounts.keys()].filter((name) => isChosen(name, options.subjects));
  return {
    title: 'The driver',
    workloads: groups.flatMap(({ workloads }) => workloads),
    subjects,
    rivals: rivalsOf(subjects.slice(1)),
    bars: driverBars,
    offers: {
      workloads: workloadGroups.flatMap(({ workloads }) => workloads.map(({ name }) => name)),
      subjects: SUBJECTS,
      profiles: [],
    },
    notes: programs.notes,
    details: [],
    stages: groups.map((group) => ({
      name: group.workloads.map(({ name }) => name).join(', '),
      measure: async (subject, takeDown) => {
        const mount = mounts.get(subject);
        if (mount === undefined) throw new Error(`there is no subject ${subject}`);
        await measureGroup(await mount({ validFor: group.validFor }), { group, caller, takeDown });
      },
    })),
  };
}

function mountsOf({ memoryTree }: CompiledPrograms): ReadonlyMap<string, Mount> {
  const [kernel, native, c] = SUBJECTS;
  const mounts = new Map<string, Mount>([
    [kernel, (options) => mountByDriver('kernel', options)],
    [native, (options) => mountByDriver('native', options)],
  ]);
  if (memoryTree !== undefined) mounts.set(c, (options) => mountByC(memoryTree, options));
  return mounts;
}

interface Measuring {
  readonly group: WorkloadGroup;
  readonly caller: Caller;
  readonly takeDown: TakeDown;
}

async function measureGroup(tree: MountedTree, { group, caller, takeDown }: Measuring): Promise<void> {
  try {
    for (const { name, act } of group.workloads) takeDown(name, await act(tree.path, caller));
  } finally {
    await tree.dispose();
  }
}

function chosenGroups(words: readonly string[]): readonly WorkloadGroup[] {
  return workloadGroups
    .map((group) => ({ ...group, workloads: group.workloads.filter(({ name }) => isChosen(name, words)) }))
    .filter(({ workloads }) => workloads.length > 0);
}
