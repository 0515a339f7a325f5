// The listeners: HTTP always, HTTPS with a certificate. In ADS mode they are what LDS answers.
// Owned by the Envoy room.
import { listenerAddress } from "./address.ts";
import { CERTIFICATE_SECRET, HTTP_LISTENER, HTTPS_LISTENER } from "./names.ts";
import { type EnvoyOptions, servesHttps } from "./options.ts";
import { extension } from "./proto_json.ts";
import { httpConnectionManager } from "./resources_http.ts";
import type { JsonObject, Listener, Secret, TypedExtension } from "./types.ts";

/** Reading pauses above this; a parked upload is held to it. */
const BUFFER_BYTES = 65_536;

function listener(
  options: EnvoyOptions,
  name: string,
  port: number,
  socket?: TypedExtension,
): Listener {
  const manager = {
    name: "envoy.filters.network.http_connection_manager",
    typed_config: httpConnectionManager(options),
  };
  return {
    name,
    address: listenerAddress(options.listenAddress, port),
    per_connection_buffer_limit_bytes: BUFFER_BYTES,
    filter_chains: [{
      filters: [manager],
      ...(socket === undefined ? {} : { transport_socket: socket }),
    }],
  };
}

/** Over ADS the files are watched; a secret of the bootstrap is read once. */
function secretConfig(options: EnvoyOptions): JsonObject {
  if (!options.ads) return { name: CERTIFICATE_SECRET };
  return {
    name: CERTIFICATE_SECRET,
    sds_config: { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" },
  };
}

function tlsSocket(options: EnvoyOptions): TypedExtension {
  return extension(
    "envoy.transport_sockets.tls",
    "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
    {
      common_tls_context: {
        tls_params: { tls_minimum_protocol_version: "TLSv1_2" },
        alpn_protocols: ["h2", "http/1.1"],
        tls_certificate_sds_secret_configs: [secretConfig(options)],
      },
    },
  );
}

/** Directory, chain and key of `envoyCertPath`. */
function certificateFiles(path: string): { dir: string; chain: string; key: string } {
  const slash = path.lastIndexOf("/");
  const dir = slash < 0 ? "." : path.slice(0, slash) || "/";
  if (slash < path.length - 1) return { dir, chain: path, key: path };
  return { dir, chain: `${path}tls.crt`, key: `${path}tls.key` };
}

/** The HTTPS certificate as a secret that is read from files and, over SDS, watched. */
export function certificateSecret(options: EnvoyOptions): Secret {
  const files = certificateFiles(options.envoyCertPath);
  return {
    name: CERTIFICATE_SECRET,
    tls_certificate: {
      certificate_chain: { filename: files.chain },
      private_key: { filename: files.key },
      watched_directory: { path: files.dir },
    },
  };
}

/** Every listener of these options. */
export function listeners(options: EnvoyOptions): Listener[] {
  const http = listener(options, HTTP_LISTENER, options.portHttp);
  if (!servesHttps(options)) return [http];
  return [http, listener(options, HTTPS_LISTENER, options.portHttps, tlsSocket(options))];
}
