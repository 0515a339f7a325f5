// Who sends this telemetry: service name, version and instance. OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES win over what we say ourselves. Owner: telemetry.
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";

export const SERVICE_NAME = "atenet-router";

/** The resource of all signals. Reads the process environment. */
export function serviceResource(version: string, instance: string): Resource {
  const ours = resourceFromAttributes({
    "service.name": SERVICE_NAME,
    "service.version": version,
    "service.instance.id": instance,
  });
  return ours.merge(detectResources({ detectors: [envDetector] }));
}
