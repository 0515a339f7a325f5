// Texts that are known only in the cluster.

/** A template of Helm, or a variable that Kubernetes puts in. */
export function isOpen(text: string): boolean {
  return text.includes("{{") || /(^|[^$])\$\([A-Za-z_]/.test(text);
}
