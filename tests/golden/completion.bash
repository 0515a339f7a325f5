# bash completion for atenet-router: source <(atenet-router completion bash)
_atenet_router() {
  local cur prev words="" command="" i
  cur=${COMP_WORDS[COMP_CWORD]}
  prev=${COMP_WORDS[COMP_CWORD - 1]}
  # "--flag=va" arrives as three words.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  if [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "serve validate status envoy completion --help --version" -- "$cur")
    return
  fi
  case "$command $prev" in
    *" --config" | *" --drain-complete-file" | *" --ateapi-ca-file" | *" --ateapi-client-cert" | *" --ateapi-client-key" | *" --ateapi-token-file" | *" --envoy-cert-path" | *" --manifest" | *" --envoy-config")
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return
      ;;
    *" --parked-request-budget" | *" --parked-request-max" | *" --parked-request-retry-interval" | *" --parked-request-retry-factor" | *" --parked-request-retry-jitter" | *" --extproc-max-requests" | *" --drain-delay" | *" --drain-timeout" | *" --envoy-admin-address" | *" --termination-grace-period" | *" --extproc-address" | *" --port-extproc" | *" --xds-address" | *" --port-xds" | *" --status-address" | *" --status-port" | *" --metrics-listen-addr" | *" --port-http" | *" --port-https" | *" --ateapi-address" | *" --ateapi-server-name" | *" --health-interval" | *" --route-timeout" | *" --otlp-collector-address" | *" --worker-port" | *" --actor-domain" | *" --envoy-admin" | *" --address" | *" --timeout" | *" --explain")
      COMPREPLY=()
      return
      ;;
    *" --ateapi-auth")
      mapfile -t COMPREPLY < <(compgen -W "mtls jwt insecure" -- "$cur")
      return
      ;;
    *" --grpc-transport")
      mapfile -t COMPREPLY < <(compgen -W "native grpc-js" -- "$cur")
      return
      ;;
    *" --route-mode")
      mapfile -t COMPREPLY < <(compgen -W "authority original-dst" -- "$cur")
      return
      ;;
    *" --log-level")
      mapfile -t COMPREPLY < <(compgen -W "debug info warn error" -- "$cur")
      return
      ;;
    "validate --format")
      mapfile -t COMPREPLY < <(compgen -W "text json github sarif" -- "$cur")
      return
      ;;
    "status --format")
      mapfile -t COMPREPLY < <(compgen -W "text json" -- "$cur")
      return
      ;;
    "envoy --format")
      mapfile -t COMPREPLY < <(compgen -W "yaml json" -- "$cur")
      return
      ;;
    *" --reset-cure")
      mapfile -t COMPREPLY < <(compgen -W "guard cap none" -- "$cur")
      return
      ;;
  esac
  case $command in
    serve)
      words="--demo --stay --config --help --parked-request-budget --parked-request-max --parked-request-retry-interval --parked-request-retry-factor --parked-request-retry-jitter --parked-request-last-chance --extproc-max-requests --drain-delay --drain-timeout --envoy-admin-address --drain-complete-file --termination-grace-period --extproc-address --port-extproc --xds-address --port-xds --status-address --status-port --metrics-listen-addr --port-http --port-https --ateapi-address --ateapi-auth --ateapi-ca-file --ateapi-client-cert --ateapi-client-key --ateapi-server-name --ateapi-token-file --health-interval --grpc-transport --envoy-cert-path --route-timeout --otlp-collector-address --worker-port --route-mode --log-level --actor-domain"
      ;;
    validate)
      words="--manifest --envoy-config --envoy-admin --format --strict --config --help --parked-request-budget --parked-request-max --parked-request-retry-interval --parked-request-retry-factor --parked-request-retry-jitter --parked-request-last-chance --extproc-max-requests --drain-delay --drain-timeout --envoy-admin-address --drain-complete-file --termination-grace-period --extproc-address --port-extproc --xds-address --port-xds --status-address --status-port --metrics-listen-addr --port-http --port-https --ateapi-address --ateapi-auth --ateapi-ca-file --ateapi-client-cert --ateapi-client-key --ateapi-server-name --ateapi-token-file --health-interval --grpc-transport --envoy-cert-path --route-timeout --otlp-collector-address --worker-port --route-mode --log-level --actor-domain"
      ;;
    status)
      words="--address --status-port --timeout --format --json --watch --explain --help"
      ;;
    envoy)
      words="--format --ads --reset-cure --config --help --parked-request-budget --parked-request-max --parked-request-retry-interval --parked-request-retry-factor --parked-request-retry-jitter --parked-request-last-chance --extproc-max-requests --drain-delay --drain-timeout --envoy-admin-address --drain-complete-file --termination-grace-period --extproc-address --port-extproc --xds-address --port-xds --status-address --status-port --metrics-listen-addr --port-http --port-https --ateapi-address --ateapi-auth --ateapi-ca-file --ateapi-client-cert --ateapi-client-key --ateapi-server-name --ateapi-token-file --health-interval --grpc-transport --envoy-cert-path --route-timeout --otlp-collector-address --worker-port --route-mode --log-level --actor-domain"
      ;;
    completion)
      words="bash zsh fish --help"
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _atenet_router atenet-router
