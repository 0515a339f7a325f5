// Names that more than one part of Envoy's configuration refers to, in one place: a name that is
// misspelt on one side is accepted by Envoy and answers every request with an error.

/** The cluster of the router's ext_proc server. */
export const EXTPROC_CLUSTER = "atenet_extproc";
/** Workers spoken to over HTTP/1.1. */
export const WORKER_CLUSTER = "atenet_workers";
/** Workers spoken to over HTTP/2, for gRPC. */
export const WORKER_GRPC_CLUSTER = "atenet_workers_grpc";
/** The cluster of the router's ADS server. */
export const XDS_CLUSTER = "atenet_xds";
/** The cluster of the OTLP collector. */
export const OTLP_CLUSTER = "atenet_otlp";

export const HTTP_LISTENER = "atenet_http";
export const HTTPS_LISTENER = "atenet_https";
export const ROUTE_CONFIG = "atenet_routes";
export const CERTIFICATE_SECRET = "atenet_certificate";

/** Prefix of the HTTP statistics: `http.ingress.downstream_rq_active` and so on. */
export const STAT_PREFIX = "ingress";

/** Namespace of the dynamic metadata that every verdict carries. */
export const VERDICT_NAMESPACE = "atenet";
/** Namespace of what Envoy itself remembers of a request for the access log. */
export const REQUEST_NAMESPACE = "atenet.request";

/** The DNS cache that dynamic forward proxy filter and clusters share. */
export const DNS_CACHE = "atenet_workers";
