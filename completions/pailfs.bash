# Made by scripts/system-files.ts.
_pailfs() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command='' index word words=''
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    case "${command:+$command }$word" in
      'mount') command='mount' ;;
      'unmount') command='unmount' ;;
      'status') command='status' ;;
      'refresh') command='refresh' ;;
      'uploads') command='uploads' ;;
      'uploads retry') command='uploads retry' ;;
      'uploads export') command='uploads export' ;;
      'uploads discard') command='uploads discard' ;;
      'bucket') command='bucket' ;;
      'bucket list') command='bucket list' ;;
      'bucket create') command='bucket create' ;;
      'bucket info') command='bucket info' ;;
      'bucket delete') command='bucket delete' ;;
      'ls') command='ls' ;;
      'put') command='put' ;;
      'get') command='get' ;;
      'rm') command='rm' ;;
      'doctor') command='doctor' ;;
      'link') command='link' ;;
      'publish') command='publish' ;;
      'unpublish') command='unpublish' ;;
      'serve') command='serve' ;;
    esac
  done
  case "$command $previous" in
    'mount -o'|'mount --base-url'|'mount --credentials-file'|'mount --credential-command'|'mount --ca-file'|'mount --client-cert'|'mount --client-key'|'mount --proxy'|'mount --config'|'mount --profile'|'mount --metadata-ttl'|'mount --memory-limit'|'mount --cache'|'mount --cache-size'|'mount --cache-dir'|'mount --state-dir'|'mount --visibility'|'mount --conflict'|'mount --rename-limit'|'mount --scratch'|'mount --uid'|'mount --gid'|'mount --umask'|'mount --driver'|'mount --log-file') return ;;
    'unmount --timeout') return ;;
    'uploads --base-url'|'uploads --credentials-file'|'uploads --credential-command'|'uploads --ca-file'|'uploads --client-cert'|'uploads --client-key'|'uploads --proxy'|'uploads --config'|'uploads --profile'|'uploads --state-dir'|'uploads --cache-dir') return ;;
    'uploads retry --base-url'|'uploads retry --credentials-file'|'uploads retry --credential-command'|'uploads retry --ca-file'|'uploads retry --client-cert'|'uploads retry --client-key'|'uploads retry --proxy'|'uploads retry --config'|'uploads retry --profile'|'uploads retry --state-dir'|'uploads retry --cache-dir'|'uploads retry --mount') return ;;
    'uploads export --base-url'|'uploads export --credentials-file'|'uploads export --credential-command'|'uploads export --ca-file'|'uploads export --client-cert'|'uploads export --client-key'|'uploads export --proxy'|'uploads export --config'|'uploads export --profile'|'uploads export --state-dir'|'uploads export --cache-dir'|'uploads export --mount') return ;;
    'uploads discard --base-url'|'uploads discard --credentials-file'|'uploads discard --credential-command'|'uploads discard --ca-file'|'uploads discard --client-cert'|'uploads discard --client-key'|'uploads discard --proxy'|'uploads discard --config'|'uploads discard --profile'|'uploads discard --state-dir'|'uploads discard --cache-dir'|'uploads discard --mount') return ;;
    'bucket list --base-url'|'bucket list --credentials-file'|'bucket list --credential-command'|'bucket list --ca-file'|'bucket list --client-cert'|'bucket list --client-key'|'bucket list --proxy'|'bucket list --config'|'bucket list --profile') return ;;
    'bucket create --base-url'|'bucket create --credentials-file'|'bucket create --credential-command'|'bucket create --ca-file'|'bucket create --client-cert'|'bucket create --client-key'|'bucket create --proxy'|'bucket create --config'|'bucket create --profile') return ;;
    'bucket info --base-url'|'bucket info --credentials-file'|'bucket info --credential-command'|'bucket info --ca-file'|'bucket info --client-cert'|'bucket info --client-key'|'bucket info --proxy'|'bucket info --config'|'bucket info --profile') return ;;
    'bucket delete --base-url'|'bucket delete --credentials-file'|'bucket delete --credential-command'|'bucket delete --ca-file'|'bucket delete --client-cert'|'bucket delete --client-key'|'bucket delete --proxy'|'bucket delete --config'|'bucket delete --profile') return ;;
    'ls --base-url'|'ls --credentials-file'|'ls --credential-command'|'ls --ca-file'|'ls --client-cert'|'ls --client-key'|'ls --proxy'|'ls --config'|'ls --profile') return ;;
    'put --base-url'|'put --credentials-file'|'put --credential-command'|'put --ca-file'|'put --client-cert'|'put --client-key'|'put --proxy'|'put --config'|'put --profile'|'put --visibility') return ;;
    'get --base-url'|'get --credentials-file'|'get --credential-command'|'get --ca-file'|'get --client-cert'|'get --client-key'|'get --proxy'|'get --config'|'get --profile') return ;;
    'rm --base-url'|'rm --credentials-file'|'rm --credential-command'|'rm --ca-file'|'rm --client-cert'|'rm --client-key'|'rm --proxy'|'rm --config'|'rm --profile') return ;;
    'doctor --base-url'|'doctor --credentials-file'|'doctor --credential-command'|'doctor --ca-file'|'doctor --client-cert'|'doctor --client-key'|'doctor --proxy'|'doctor --config'|'doctor --profile'|'doctor --state-dir'|'doctor --cache'|'doctor --cache-dir'|'doctor --driver') return ;;
    'link --base-url'|'link --credentials-file'|'link --credential-command'|'link --ca-file'|'link --client-cert'|'link --client-key'|'link --proxy'|'link --config'|'link --profile') return ;;
    'publish --base-url'|'publish --credentials-file'|'publish --credential-command'|'publish --ca-file'|'publish --client-cert'|'publish --client-key'|'publish --proxy'|'publish --config'|'publish --profile') return ;;
    'unpublish --base-url'|'unpublish --credentials-file'|'unpublish --credential-command'|'unpublish --ca-file'|'unpublish --client-cert'|'unpublish --client-key'|'unpublish --proxy'|'unpublish --config'|'unpublish --profile') return ;;
    'serve --data'|'serve --port'|'serve --bucket'|'serve --behaviour') return ;;
  esac
  case "$command" in
    '') words='mount unmount status refresh uploads bucket ls put get rm doctor link publish unpublish serve -V --version -h --help' ;;
    'mount') words='-o --base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile -f --foreground --all-buckets --bucket-admin --read-only --write-back --metadata-ttl --memory-limit --cache --cache-size --cache-dir --state-dir --visibility --conflict --rename-limit --scratch --uid --gid --umask --allow-other --noexec --allow-insecure --driver --log-file --debug -h --help' ;;
    'unmount') words='--timeout --leave-pending --lazy --debug -h --help' ;;
    'status') words='--watch --json --debug -h --help' ;;
    'refresh') words='--json --debug -h --help' ;;
    'uploads') words='retry export discard --base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --state-dir --cache-dir --json --debug -h --help' ;;
    'uploads retry') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --state-dir --cache-dir --json --mount --debug -h --help' ;;
    'uploads export') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --state-dir --cache-dir --json --mount --debug -h --help' ;;
    'uploads discard') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --state-dir --cache-dir --json --mount --all --yes --debug -h --help' ;;
    'bucket') words='list create info delete --debug -h --help' ;;
    'bucket list') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json -h --help' ;;
    'bucket create') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json -h --help' ;;
    'bucket info') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json -h --help' ;;
    'bucket delete') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json --yes -h --help' ;;
    'ls') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json -l --long -h --help' ;;
    'put') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json --visibility -h --help' ;;
    'get') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json -h --help' ;;
    'rm') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json -r --recursive --yes -h --help' ;;
    'doctor') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --state-dir --cache --cache-dir --allow-other --driver --debug --json -h --help' ;;
    'link') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json -r --recursive -h --help' ;;
    'publish') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json -r --recursive -h --help' ;;
    'unpublish') words='--base-url --credentials-file --credential-command --ca-file --client-cert --client-key --proxy --config --profile --allow-insecure --debug --json -r --recursive -h --help' ;;
    'serve') words='--data --port --bucket --behaviour --debug -h --help' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _pailfs pailfs
