// Rules of the group Control plane: an authentication has the files it needs. Whether a file can
// be read is not asked here: rules are also checked where the pod's files do not exist.
import type { Checking } from "./checking.ts";
import { flagName } from "./names.ts";
import type { Settings } from "./settings.ts";

type Auth = Settings["ateapiAuth"];
type FileSetting = "ateapiCaFile" | "ateapiClientCert" | "ateapiClientKey" | "ateapiTokenFile";

const NEEDED: Readonly<Record<Auth, readonly FileSetting[]>> = {
  mtls: ["ateapiCaFile", "ateapiClientCert"],
  jwt: ["ateapiCaFile", "ateapiTokenFile"],
  insecure: [],
};
/** Read when given. The key may stand in the certificate's file. */
const USED: Readonly<Record<Auth, readonly FileSetting[]>> = {
  mtls: ["ateapiCaFile", "ateapiClientCert", "ateapiClientKey"],
  jwt: ["ateapiCaFile", "ateapiTokenFile"],
  insecure: [],
};
const ALL_FILES: readonly FileSetting[] = [...USED.mtls, "ateapiTokenFile"];

const WHY: Readonly<Record<Auth, string>> = {
  mtls: "The control plane and the router prove who they are by certificates",
  jwt: "The router proves who it is by a token, and sends it only to a server it has verified",
  insecure: "",
};

/** All of the group. */
export function checkControlPlane(checking: Checking): void {
  checkNeeded(checking);
  checkUnused(checking);
  checkHealthInterval(checking);
}

function checkNeeded(checking: Checking): void {
  const { values } = checking;
  const missing = NEEDED[values.ateapiAuth].filter((file) => values[file] === "");
  if (missing.length === 0) return;
  const flags = missing.map(flagName).join(" and ");
  checking.complain("ateapiAuth", {
    id: "ateapi-auth-files",
    rule: `needs ${flags}`,
    reason: WHY[values.ateapiAuth],
    fix: `Give ${flags}, or --ateapi-auth=insecure (plaintext, for tests)`,
  });
}

/** A file that nobody reads: somebody believes in a protection that is not there. */
function checkUnused(checking: Checking): void {
  const { values } = checking;
  for (const file of ALL_FILES) {
    if (values[file] === "" || USED[values.ateapiAuth].includes(file)) continue;
    checking.complain(file, {
      id: "ateapi-file-unused",
      severity: "warning",
      rule: `is not used with --ateapi-auth=${values.ateapiAuth}`,
      reason: values.ateapiAuth === "insecure"
        ? "The connection to the control plane is plaintext"
        : "That way of authentication reads other files",
      fix: `Remove it, or choose another --ateapi-auth`,
    });
  }
}

function checkHealthInterval(checking: Checking): void {
  if (checking.values.healthIntervalMs > 0) return;
  checking.refuse("healthIntervalMs", {
    id: "health-interval-not-positive",
    rule: "is not above 0",
    reason: "The control plane would be probed without a pause",
    fix: "Set a duration above 0 (default 1s)",
  }, 1_000);
}
