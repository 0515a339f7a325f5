// Rules of the group Listening: every port in range, no two listeners on one address.
import { everyHost } from "../envoy/address.ts";
import { canonicalIp, hostsOverlap, isLocalIp, joinHostPort, parseHostPort } from "./address.ts";
import type { Checking } from "./checking.ts";
import { assignment, type Complaint, flagName } from "./names.ts";
import type { SettingName, Settings } from "./settings.ts";

const PORT_MAX = 65_535;

/** All of the group. */
export function checkListeners(checking: Checking): void {
  for (const setting of PORTS) checkPort(checking, setting);
  for (const setting of ADDRESSES) checkAddressPort(checking, setting);
  checkWorkerPort(checking);
  checkCollisions(checking);
}

/** Settings that are a port. */
const PORTS = [
  "portExtproc",
  "portXds",
  "statusPort",
  "portHttp",
  "portHttps",
  "workerPort",
] as const;
/** Settings that hold a port behind a host. */
const ADDRESSES = [
  "metricsListenAddr",
  "ateapiAddress",
  "envoyAdminAddress",
  "otlpCollectorAddress",
] as const;

function portComplaint(what: string): Complaint {
  return {
    id: "port-out-of-range",
    rule: `${what} outside 0-${PORT_MAX}`,
    reason: "There is no such TCP port",
    fix: `Set a port from 0 to ${PORT_MAX}`,
  };
}

function checkPort(checking: Checking, setting: typeof PORTS[number]): void {
  const port = checking.values[setting];
  const off = setting === "statusPort" && port <= 0;
  if (off || (port >= 0 && port <= PORT_MAX)) return;
  checking.refuse(setting, portComplaint("is"), 0);
}

function checkAddressPort(checking: Checking, setting: typeof ADDRESSES[number]): void {
  const address = parseHostPort(checking.values[setting]);
  if (address === undefined || (address.port >= 0 && address.port <= PORT_MAX)) return;
  checking.refuse(setting, portComplaint("has a port"), "");
}

function checkWorkerPort(checking: Checking): void {
  if (checking.values.workerPort !== 0 || checking.isRefused("workerPort")) return;
  checking.complain("workerPort", {
    id: "worker-port-zero",
    rule: "cannot be connected to",
    reason: "Envoy would answer 503 to every routed request",
    fix: "Set the port that workers listen on (default 80)",
  });
}

/** Somebody who wants an address on this machine. */
interface Listener {
  /** Named in messages. */
  readonly setting: SettingName;
  readonly host: string;
  readonly port: number;
}

/** Everything that binds in the network namespace the router and its Envoy share. */
export function listeners(values: Settings): Listener[] {
  const envoyHost = everyHost(values.statusAddress);
  const all: Listener[] = [
    { setting: "portExtproc", host: values.extprocAddress, port: values.portExtproc },
    { setting: "portXds", host: values.xdsAddress, port: values.portXds },
    { setting: "statusPort", host: values.statusAddress, port: values.statusPort },
    { setting: "portHttp", host: envoyHost, port: values.portHttp },
  ];
  if (values.envoyCertPath !== "") {
    all.push({ setting: "portHttps", host: envoyHost, port: values.portHttps });
  }
  const metrics = parseHostPort(values.metricsListenAddr);
  if (metrics !== undefined) {
    all.push({ setting: "metricsListenAddr", host: metrics.host || "::", port: metrics.port });
  }
  const admin = parseHostPort(values.envoyAdminAddress);
  if (admin !== undefined && isLocalIp(admin.host)) {
    all.push({ setting: "envoyAdminAddress", host: admin.host, port: admin.port });
  }
  return all.filter(({ port }) => port > 0);
}

function checkCollisions(checking: Checking): void {
  const all = listeners(checking.values);
  for (const [at, second] of all.entries()) {
    const first = all.slice(0, at)
      .find((other) => other.port === second.port && hostsOverlap(other.host, second.host));
    if (first !== undefined) complainCollision(checking, first, second);
  }
}

/** Blames the explicit one of the two, the later one when both are. */
function complainCollision(checking: Checking, first: Listener, second: Listener): void {
  const blameFirst = checking.isExplicit(first.setting) && !checking.isExplicit(second.setting);
  const [blamed, other] = blameFirst ? [first, second] : [second, first];
  checking.complain(blamed.setting, {
    id: "listeners-collide",
    rule: `is the address of ${assignment(checking.sourced, other.setting)} too`,
    reason: overlap(describe(blamed), describe(other)),
    fix: `Give ${flagName(blamed.setting)} or ${flagName(other.setting)} another port`,
  });
}

function overlap(one: string, other: string): string {
  const what = one === other ? `Both want ${one}` : `${one} and ${other} overlap`;
  return `${what}: the second to start fails`;
}

function describe({ host, port }: Listener): string {
  return joinHostPort(canonicalIp(host) ?? host, port);
}
