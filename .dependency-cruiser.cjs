/** One rule an arrow of the layer diagram in docs/ARCHITECTURE.md: each layer names what it may import. */
const mayImport = {
  base: [],
  service: ['base'],
  client: ['service', 'base'],
  server: ['service', 'base'],
  store: ['service', 'base'],
  namespace: ['store', 'service', 'base'],
  content: ['store', 'service', 'base'],
  filesystem: ['namespace', 'content', 'store', 'service', 'base'],
  fuse: ['filesystem', 'base'],
  cli: ['fuse', 'filesystem', 'namespace', 'content', 'store', 'client', 'server', 'service', 'base'],
};

const layerRules = Object.entries(mayImport).map(([layer, allowed]) => ({
  name: `${layer}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: '^src/', pathNot: `^src/(${[layer, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'undici-only-in-client',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/client/' },
      to: { path: 'node_modules/undici/' },
    },
    {
      name: 'fuse-native-only-in-fuse',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/fuse/' },
      to: { path: 'node_modules/fuse-native/' },
    },
    {
      name: 'koffi-only-in-fuse',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/fuse/' },
      to: { path: 'node_modules/koffi/' },
    },
    {
      name: 'commands-are-loaded-when-they-run',
      comment: 'All of them take many times as long to load as most of them to do.',
      severity: 'error',
      from: { path: '^src/cli/.*program[.]ts$' },
      to: { path: '^src/cli/.*-command[.]ts$', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'commands-stand-above-what-they-share',
      comment: 'Else what one command needs would load what only another does.',
      severity: 'error',
      from: { path: '^src/cli/(settings|connecting|state|found-mounts|control|serving|logging|screen)/' },
      to: { path: '^src/cli/(mount|unmount|status|uploads|direct|links|doctor)/' },
    },
    {
      name: 'src-never-imports-test',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
};
