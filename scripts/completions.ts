/** How do shells complete the words of pailfs? A script each for bash, zsh and fish, made from what the parser knows. */
import type { CommandFacts, OptionFacts } from './command-facts.ts';
import { withSubcommands } from './command-facts.ts';

const NOTICE = '# Made by scripts/system-files.ts.';

/** For bash: `source` it, or put it where bash-completion looks. */
export function bashCompletion(program: CommandFacts): string {
  const commands = withSubcommands(program);
  const names = commands.flatMap(({ names: [, ...below] }) => (below.length === 0 ? [] : [below.join(' ')]));
  return `${NOTICE}
_pailfs() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' index word words=''
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "\${command:+$command }$word" in
${names.map((name) => `      '${name}') command='${name}' ;;`).join('\n')}
    esac
  done
  case "$command $previous" in
${commands.flatMap(bashValues).join('\n')}
  esac
  case "$command" in
${commands.map(bashWords).join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _pailfs pailfs
`;
}

/** After an option that takes a value come file names, which bash completes when nothing else is offered. */
function bashValues({ names, options }: CommandFacts): readonly string[] {
  const command = names.slice(1).join(' ');
  const flags = options.filter(({ value }) => value !== undefined).flatMap(flagsOf);
  return flags.length === 0
    ? []
    : [`    ${flags.map((flag) => `'${command} ${flag}'`).join('|')}) return ;;`];
}

function bashWords({ names, options, subcommands }: CommandFacts): string {
  const below = subcommands.map((one) => one.names.at(-1) ?? '');
  return `    '${names.slice(1).join(' ')}') words='${[...below, ...options.flatMap(flagsOf)].join(' ')}' ;;`;
}

/** For fish: put it into ~/.config/fish/completions. */
export function fishCompletion(program: CommandFacts): string {
  const lines = withSubcommands(program).flatMap((facts) => {
    const [, ...below] = facts.names;
    const inside = below.map((name) => `__fish_seen_subcommand_from ${name}`);
    const beside = facts.subcommands.map((one) => one.names.at(-1) ?? '');
    const condition = [
      ...inside,
      ...(beside.length === 0 ? [] : [`not __fish_seen_subcommand_from ${beside.join(' ')}`]),
    ];
    const when = `complete -c pailfs${condition.length === 0 ? '' : ` -n ${quoted(condition.join('; and '))}`}`;
    return [
      ...facts.subcommands.map(
        ({ names, description }) => `${when} -f -a ${names.at(-1) ?? ''} -d ${quoted(description)}`,
      ),
      ...facts.options.map((option) => `${when} ${fishOption(option)}`),
    ];
  });
  return `${[NOTICE, ...lines].join('\n')}\n`;
}

function fishOption({ short, long, value, description }: OptionFacts): string {
  const flags = [
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    ...(long === undefined ? [] : [`-l ${long.slice(2)}`]),
  ];
  return [...flags, ...(value === undefined ? [] : ['-r']), `-d ${quoted(description)}`].join(' ');
}

/** For zsh: put it as _pailfs into a directory of $fpath. */
export function zshCompletion(program: CommandFacts): string {
  const functions = withSubcommands(program).toReversed().map(zshFunction);
  return `#compdef pailfs\n${NOTICE}\n${functions.join('\n')}\n_pailfs "$@"\n`;
}

function zshFunction(facts: CommandFacts): string {
  const specs = facts.options.flatMap(zshOption);
  if (facts.subcommands.length === 0) {
    return `${zshName(facts)}() {\n  _arguments -s ${[...specs, `'*:file:_files'`].join(' \\\n    ')}\n}`;
  }
  const described = facts.subcommands.map(
    ({ names, description }) =>
      `    ${quoted(`${names.at(-1) ?? ''}:${description.replaceAll(':', '\\\\:')}`)}`,
  );
  const cases = facts.subcommands.map((one) => `        ${one.names.at(-1) ?? ''}) ${zshName(one)} ;;`);
  return `${zshName(facts)}() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands=(
${described.join('\n')}
  )
  _arguments -C ${[...specs, `'1: :->command'`, `'*:: :->rest'`].join(' \\\n    ')}
  case $state in
    command) _describe command commands; _files ;;
    rest)
      case $words[1] in
${cases.join('\n')}
        *) _files ;;
      esac ;;
  esac
}`;
}

function zshOption({ short, long, value, description }: OptionFacts): readonly string[] {
  const flags = [short, long].filter((flag) => flag !== undefined);
  const text = description.replaceAll(/[[\]:\\]/g, String.raw`\$&`);
  const taken = value === undefined ? '' : `:${value.replaceAll(':', String.raw`\:`)}:_files`;
  return flags.map((flag) => quoted(`${flag}[${text}]${taken}`));
}

function zshName({ names }: CommandFacts): string {
  return `_${names.join('_')}`;
}

function flagsOf({ short, long }: OptionFacts): readonly string[] {
  return [short, long].filter((flag) => flag !== undefined);
}

/** For the three shells alike. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
