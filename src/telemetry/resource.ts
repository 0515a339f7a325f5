// Who sends this telemetry: service name, version and instance. OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES win over what we say ourselves. Owner: telemetry.
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";

export const SERVICE_NAME = "atenet-router";

/**
 * The resource of all signals.
 * @param asked attributes from the environment; an empty value is one too.
 */
export function serviceResource(
  version: string,
  instance: string,
  asked: Readonly<Record<string, string>>,
): Resource {
  return resourceFromAttributes({
    "service.name": SERVICE_NAME,
    "service.version": version,
    "service.instance.id": instance,
    ...asked,
  });
}
