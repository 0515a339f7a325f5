#compdef atenet-router
# zsh completion for atenet-router: source <(atenet-router completion zsh)
_atenet_router() {
  local curcontext="$curcontext" state line
  local -a commands=(
    'serve:run the router beside Envoy (ext_proc, xDS, status, metrics)'
    'validate:check flags, a config file, manifests or a live Envoy; for CI'
    'status:what a running router is doing; --watch to follow'
    'envoy:print the Envoy bootstrap that fits these flags'
    'completion:print the completion script of a shell'
  )
  _arguments -C \
    '(- *)--help[the first screen]' \
    '(- *)--version[version, commit and runtime]' \
    '1: :->command' \
    '*:: :->words'
  case $state in
    command)
      _describe -t commands command commands
      ;;
    words)
      case $words[1] in
        serve)
          _arguments \
            '--demo[show parking with a simulated control plane and a real Envoy]' \
            '--stay[with --demo\: keep everything up at the end]' \
            '--config=[YAML or JSON file with values for these flags]:FILE:_files' \
            '--help[this text]' \
            '--parked-request-budget=[how long new resume attempts may start for a parked request]:DURATION: ' \
            '--parked-request-max=[slots of the parking lot; 0 turns parking off]:N: ' \
            '--parked-request-retry-interval=[delay before the first retry of a resume]:DURATION: ' \
            '--parked-request-retry-factor=[each delay is the one before it times this; 1 or more]:N: ' \
            '--parked-request-retry-jitter=[largest random share added to a delay; from 0 to below 1]:N: ' \
            '--parked-request-last-chance[make one last attempt at the end of the budget]' \
            '--extproc-max-requests=[Envoy'\''s breaker for the ext_proc cluster; 0 derives it]:N: ' \
            '--drain-delay=[go on serving this long after SIGTERM, unready]:DURATION: ' \
            '--drain-timeout=[bound on finishing ext_proc streams; 0 derives it]:DURATION: ' \
            '--envoy-admin-address=[Envoy'\''s admin, to drain it first; empty = none]:HOST\:PORT: ' \
            '--drain-complete-file=[file written when the drain is complete]:FILE:_files' \
            '--termination-grace-period=[the pod'\''s grace period, to check the shutdown against; 0 = unknown]:DURATION: ' \
            '--extproc-address=[IP that ext_proc listens on]:IP: ' \
            '--port-extproc=[port of ext_proc and of the gRPC health service]:PORT: ' \
            '--xds-address=[IP that xDS listens on]:IP: ' \
            '--port-xds=[port of xDS (ADS)]:PORT: ' \
            '--status-address=[IP that the status server listens on; an IPv6 one\: Envoy listens on \:\: too]:IP: ' \
            '--status-port=[port of /statusz, /healthz and /readyz; 0 or less = off]:PORT: ' \
            '--metrics-listen-addr=[\[host\]\:port of the Prometheus page; empty = off]:\[HOST\]\:PORT: ' \
            '--port-http=[Envoy'\''s port for HTTP]:PORT: ' \
            '--port-https=[Envoy'\''s port for HTTPS, used with --envoy-cert-path]:PORT: ' \
            '--ateapi-address=[host\:port of the control plane]:HOST\:PORT: ' \
            '--ateapi-auth=[mtls (CA, certificate, key), jwt (CA, token) or insecure]:mtls|jwt|insecure:(mtls jwt insecure)' \
            '--ateapi-ca-file=[PEM file of the CAs that sign the control plane'\''s certificate]:FILE:_files' \
            '--ateapi-client-cert=[PEM file of the client certificate (mtls)]:FILE:_files' \
            '--ateapi-client-key=[PEM file of its key; default\: in the certificate'\''s file]:FILE:_files' \
            '--ateapi-server-name=[TLS name to verify when it is not the host'\''s]:NAME: ' \
            '--ateapi-token-file=[file of the bearer token (jwt), read again for every call]:FILE:_files' \
            '--health-interval=[time between health probes, for /statusz only]:DURATION: ' \
            '--grpc-transport=[gRPC implementation of ext_proc and control plane\: native or grpc-js]:native|grpc-js:(native grpc-js)' \
            '--envoy-cert-path=[PEM file of certificate and key, as Envoy sees it; turns HTTPS on]:FILE:_files' \
            '--route-timeout=[how long a worker'\''s whole answer may take; 0 = no limit]:DURATION: ' \
            '--otlp-collector-address=[host\:port that Envoy sends its traces to (OTLP gRPC)]:HOST\:PORT: ' \
            '--worker-port=[port that workers listen on]:PORT: ' \
            '--route-mode=[how Envoy is told the worker\: authority or original-dst]:authority|original-dst:(authority original-dst)' \
            '--log-level=[debug, info, warn or error]:debug|info|warn|error:(debug info warn error)' \
            '--actor-domain=[what follows <actor>.<atespace>. in a host]:NAME: '
          ;;
        validate)
          _arguments \
            '*--manifest=[Kubernetes files with the router'\''s pod, its Envoy and ConfigMaps]:FILE:_files' \
            '*--envoy-config=[Envoy bootstrap or config dump to hold against the flags]:FILE:_files' \
            '--envoy-admin=[admin address of a running Envoy, to check what it has]:URL: ' \
            '--format=[text, json, github (annotations) or sarif]:text|json|github|sarif:(text json github sarif)' \
            '--strict[exit 1 for warnings too]' \
            '--config=[YAML or JSON file with values for these flags]:FILE:_files' \
            '--help[this text]' \
            '--parked-request-budget=[how long new resume attempts may start for a parked request]:DURATION: ' \
            '--parked-request-max=[slots of the parking lot; 0 turns parking off]:N: ' \
            '--parked-request-retry-interval=[delay before the first retry of a resume]:DURATION: ' \
            '--parked-request-retry-factor=[each delay is the one before it times this; 1 or more]:N: ' \
            '--parked-request-retry-jitter=[largest random share added to a delay; from 0 to below 1]:N: ' \
            '--parked-request-last-chance[make one last attempt at the end of the budget]' \
            '--extproc-max-requests=[Envoy'\''s breaker for the ext_proc cluster; 0 derives it]:N: ' \
            '--drain-delay=[go on serving this long after SIGTERM, unready]:DURATION: ' \
            '--drain-timeout=[bound on finishing ext_proc streams; 0 derives it]:DURATION: ' \
            '--envoy-admin-address=[Envoy'\''s admin, to drain it first; empty = none]:HOST\:PORT: ' \
            '--drain-complete-file=[file written when the drain is complete]:FILE:_files' \
            '--termination-grace-period=[the pod'\''s grace period, to check the shutdown against; 0 = unknown]:DURATION: ' \
            '--extproc-address=[IP that ext_proc listens on]:IP: ' \
            '--port-extproc=[port of ext_proc and of the gRPC health service]:PORT: ' \
            '--xds-address=[IP that xDS listens on]:IP: ' \
            '--port-xds=[port of xDS (ADS)]:PORT: ' \
            '--status-address=[IP that the status server listens on; an IPv6 one\: Envoy listens on \:\: too]:IP: ' \
            '--status-port=[port of /statusz, /healthz and /readyz; 0 or less = off]:PORT: ' \
            '--metrics-listen-addr=[\[host\]\:port of the Prometheus page; empty = off]:\[HOST\]\:PORT: ' \
            '--port-http=[Envoy'\''s port for HTTP]:PORT: ' \
            '--port-https=[Envoy'\''s port for HTTPS, used with --envoy-cert-path]:PORT: ' \
            '--ateapi-address=[host\:port of the control plane]:HOST\:PORT: ' \
            '--ateapi-auth=[mtls (CA, certificate, key), jwt (CA, token) or insecure]:mtls|jwt|insecure:(mtls jwt insecure)' \
            '--ateapi-ca-file=[PEM file of the CAs that sign the control plane'\''s certificate]:FILE:_files' \
            '--ateapi-client-cert=[PEM file of the client certificate (mtls)]:FILE:_files' \
            '--ateapi-client-key=[PEM file of its key; default\: in the certificate'\''s file]:FILE:_files' \
            '--ateapi-server-name=[TLS name to verify when it is not the host'\''s]:NAME: ' \
            '--ateapi-token-file=[file of the bearer token (jwt), read again for every call]:FILE:_files' \
            '--health-interval=[time between health probes, for /statusz only]:DURATION: ' \
            '--grpc-transport=[gRPC implementation of ext_proc and control plane\: native or grpc-js]:native|grpc-js:(native grpc-js)' \
            '--envoy-cert-path=[PEM file of certificate and key, as Envoy sees it; turns HTTPS on]:FILE:_files' \
            '--route-timeout=[how long a worker'\''s whole answer may take; 0 = no limit]:DURATION: ' \
            '--otlp-collector-address=[host\:port that Envoy sends its traces to (OTLP gRPC)]:HOST\:PORT: ' \
            '--worker-port=[port that workers listen on]:PORT: ' \
            '--route-mode=[how Envoy is told the worker\: authority or original-dst]:authority|original-dst:(authority original-dst)' \
            '--log-level=[debug, info, warn or error]:debug|info|warn|error:(debug info warn error)' \
            '--actor-domain=[what follows <actor>.<atespace>. in a host]:NAME: '
          ;;
        status)
          _arguments \
            '--address=[where its status port is; default http\://127.0.0.1\:<status-port>]:URL: ' \
            '--status-port=[port on this machine when no address is given; default 4040]:PORT: ' \
            '--timeout=[how long to wait for an answer; default 3s]:DURATION: ' \
            '--format=[text, or json\: exactly the document of /statusz]:text|json:(text json)' \
            '--json[the same as --format json]' \
            '--watch[ask again every 2 s until interrupted]' \
            '--explain=[what it would do with a request for that host, and why; resumes nothing]:HOST: ' \
            '--help[this text]'
          ;;
        envoy)
          _arguments \
            '--format=[yaml or json]:yaml|json:(yaml json)' \
            '--ads[let Envoy take listeners, routes and certificate from the router (ADS)]' \
            '--reset-cure=[what keeps Envoy'\''s stream resets from cutting connections\: guard, cap or none]:guard|cap|none:(guard cap none)' \
            '--config=[YAML or JSON file with values for these flags]:FILE:_files' \
            '--help[this text]' \
            '--parked-request-budget=[how long new resume attempts may start for a parked request]:DURATION: ' \
            '--parked-request-max=[slots of the parking lot; 0 turns parking off]:N: ' \
            '--parked-request-retry-interval=[delay before the first retry of a resume]:DURATION: ' \
            '--parked-request-retry-factor=[each delay is the one before it times this; 1 or more]:N: ' \
            '--parked-request-retry-jitter=[largest random share added to a delay; from 0 to below 1]:N: ' \
            '--parked-request-last-chance[make one last attempt at the end of the budget]' \
            '--extproc-max-requests=[Envoy'\''s breaker for the ext_proc cluster; 0 derives it]:N: ' \
            '--drain-delay=[go on serving this long after SIGTERM, unready]:DURATION: ' \
            '--drain-timeout=[bound on finishing ext_proc streams; 0 derives it]:DURATION: ' \
            '--envoy-admin-address=[Envoy'\''s admin, to drain it first; empty = none]:HOST\:PORT: ' \
            '--drain-complete-file=[file written when the drain is complete]:FILE:_files' \
            '--termination-grace-period=[the pod'\''s grace period, to check the shutdown against; 0 = unknown]:DURATION: ' \
            '--extproc-address=[IP that ext_proc listens on]:IP: ' \
            '--port-extproc=[port of ext_proc and of the gRPC health service]:PORT: ' \
            '--xds-address=[IP that xDS listens on]:IP: ' \
            '--port-xds=[port of xDS (ADS)]:PORT: ' \
            '--status-address=[IP that the status server listens on; an IPv6 one\: Envoy listens on \:\: too]:IP: ' \
            '--status-port=[port of /statusz, /healthz and /readyz; 0 or less = off]:PORT: ' \
            '--metrics-listen-addr=[\[host\]\:port of the Prometheus page; empty = off]:\[HOST\]\:PORT: ' \
            '--port-http=[Envoy'\''s port for HTTP]:PORT: ' \
            '--port-https=[Envoy'\''s port for HTTPS, used with --envoy-cert-path]:PORT: ' \
            '--ateapi-address=[host\:port of the control plane]:HOST\:PORT: ' \
            '--ateapi-auth=[mtls (CA, certificate, key), jwt (CA, token) or insecure]:mtls|jwt|insecure:(mtls jwt insecure)' \
            '--ateapi-ca-file=[PEM file of the CAs that sign the control plane'\''s certificate]:FILE:_files' \
            '--ateapi-client-cert=[PEM file of the client certificate (mtls)]:FILE:_files' \
            '--ateapi-client-key=[PEM file of its key; default\: in the certificate'\''s file]:FILE:_files' \
            '--ateapi-server-name=[TLS name to verify when it is not the host'\''s]:NAME: ' \
            '--ateapi-token-file=[file of the bearer token (jwt), read again for every call]:FILE:_files' \
            '--health-interval=[time between health probes, for /statusz only]:DURATION: ' \
            '--grpc-transport=[gRPC implementation of ext_proc and control plane\: native or grpc-js]:native|grpc-js:(native grpc-js)' \
            '--envoy-cert-path=[PEM file of certificate and key, as Envoy sees it; turns HTTPS on]:FILE:_files' \
            '--route-timeout=[how long a worker'\''s whole answer may take; 0 = no limit]:DURATION: ' \
            '--otlp-collector-address=[host\:port that Envoy sends its traces to (OTLP gRPC)]:HOST\:PORT: ' \
            '--worker-port=[port that workers listen on]:PORT: ' \
            '--route-mode=[how Envoy is told the worker\: authority or original-dst]:authority|original-dst:(authority original-dst)' \
            '--log-level=[debug, info, warn or error]:debug|info|warn|error:(debug info warn error)' \
            '--actor-domain=[what follows <actor>.<atespace>. in a host]:NAME: '
          ;;
        completion)
          _arguments \
            '1:shell:(bash zsh fish)' \
            '--help[this text]'
          ;;
      esac
      ;;
  esac
}
if [[ $funcstack[1] == _atenet-router ]]; then
  _atenet_router "$@"
else
  compdef _atenet_router atenet-router
fi
