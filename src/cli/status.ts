// `status`: one screen that answers "are we parking, why, and is it getting worse", from the status
// document of a running router. 0 healthy, 1 unhealthy or draining, 2 usage, 3 not to be had.
import { type Command, EXIT_OK, EXIT_PROBLEM, EXIT_USAGE, type Invocation } from "./command.ts";
import { complain } from "./complain.ts";
import type { Problem } from "../check/settings.ts";
import { environmentName, type Flag, type Value } from "./flags/spec.ts";
import { badValue, type Given } from "./flags/usage.ts";
import { parseValue } from "./flags/value.ts";
import { harmless, shownJson } from "./harmless.ts";
import type { CliIo } from "./io.ts";
import { wantsColour } from "./report_text.ts";
import { type Asked, askStatus, notWhole, type Unreachable } from "./status/ask.ts";
import { explain } from "./status/explain.ts";
import { statusScreen } from "./status/screen.ts";

export const EXIT_UNREACHABLE = 3;
const TIMEOUT_MS = 3_000;
const WATCH_EVERY_MS = 2_000;
const DEFAULT_PORT = 4040;
const CLEAR = "\u001b[H\u001b[2J";

const PORT_FLAG: Flag = {
  name: "status-port",
  form: { kind: "port" },
  help: "port on this machine when no address is given; default 4040",
};

export const STATUS_COMMAND: Command = {
  name: "status",
  summary: "what a running router is doing; --watch to follow",
  settings: false,
  own: [
    {
      name: "address",
      form: { kind: "url" },
      help: "where its status port is; default http://127.0.0.1:<status-port>",
    },
    PORT_FLAG,
    {
      name: "timeout",
      form: { kind: "duration" },
      help: "how long to wait for an answer; default 3s",
    },
    {
      name: "format",
      form: { kind: "choice", values: ["text", "json"] },
      help: "text, or json: exactly the document of /statusz",
    },
    { name: "json", form: { kind: "boolean" }, help: "the same as --format json" },
    { name: "watch", form: { kind: "boolean" }, help: "ask again every 2 s until interrupted" },
    {
      name: "explain",
      form: { kind: "host" },
      help: "what it would do with a request for that host, and why; resumes nothing",
    },
  ],
  examples: [
    "status",
    "status --watch --address http://10.0.0.7:4040",
    "status --explain a1.demo.actors.resources.substrate.ate.dev",
  ],
  exits: [
    "healthy (a full lot is)",
    "unhealthy or draining",
    "words not understood",
    "not reached, or no router",
  ],
  run: status,
};

/** What is asked, from the words. */
interface Question {
  readonly address: string;
  readonly timeoutMs: number;
  readonly json: boolean;
  readonly watch: boolean;
  readonly host: string | undefined;
}

async function status(invocation: Invocation, io: CliIo): Promise<number> {
  const problems = [...invocation.problems];
  const question = questionOf(invocation, io, problems);
  problems.push(...contradictions(invocation, question));
  if (problems.length > 0) {
    complain(problems, io);
    return EXIT_USAGE;
  }
  let code = await once(question, io);
  while (question.watch && isHeard(code, io) && await io.pause(WATCH_EVERY_MS)) {
    code = await once(question, io);
  }
  return code;
}

/** `status --watch | head`: who has gone is not written to again. */
function isHeard(code: number, { stdout, stderr }: CliIo): boolean {
  return !(code === EXIT_UNREACHABLE ? stderr : stdout).isClosed;
}

function questionOf({ options }: Invocation, io: CliIo, problems: Problem[]): Question {
  const one = (name: string) => options.get(name)?.[0];
  const address = one("address");
  return {
    address: String(address ?? `http://127.0.0.1:${portOf(one("status-port"), io, problems)}`),
    timeoutMs: Number(one("timeout") ?? TIMEOUT_MS),
    json: one("json") === true || one("format") === "json",
    watch: one("watch") === true,
    host: one("explain") as string | undefined,
  };
}

/** The port of this machine's router: the flag, then the variable that gave the router its own. */
function portOf(flag: Value | undefined, io: CliIo, problems: Problem[]): number {
  const variable = environmentName(PORT_FLAG);
  const text = io.env(variable) ?? "";
  if (flag === undefined && text === "") return DEFAULT_PORT;
  const given: Given = flag === undefined
    ? { text, source: "environment", variable }
    : { text: String(flag), source: "command line" };
  const parsed = parseValue(PORT_FLAG, given.text);
  const port = parsed.ok ? Number(parsed.value) : NaN;
  if (port >= 1 && port <= 65_535) return port;
  const [why, fix] = !parsed.ok
    ? [parsed.why, parsed.fix]
    : port <= 0
    ? ["turns the status server off", "Start the router with one, or give --address"]
    : ["is outside 1-65535", "Set a port from 1 to 65535"];
  problems.push(badValue(PORT_FLAG, given, why, fix));
  return DEFAULT_PORT;
}

function contradictions({ options }: Invocation, question: Question): Problem[] {
  const { timeoutMs, json, host } = question;
  const problems: Problem[] = [];
  if (options.get("json")?.[0] === true && options.get("format")?.[0] === "text") {
    problems.push(refusal("--json", "does not go with --format text", "Leave one of them out"));
  }
  if (host !== undefined && /[/?#\s]/.test(host)) {
    problems.push(refusal("--explain", "is not a host", "Leave out what stands around the host"));
  }
  if (!(timeoutMs > 0)) {
    problems.push(refusal("--timeout", "is not above 0", "Write it like 3s"));
  }
  if (json && host !== undefined) {
    problems.push(refusal("--explain", "does not go with --format json", "Leave one of them out"));
  }
  return problems;
}

function refusal(flag: string, rule: string, fix: string): Problem {
  const source = "command line";
  return { kind: "usage", id: "bad-value", severity: "error", flag, source, rule, reason: "", fix };
}

async function once(question: Question, io: CliIo): Promise<number> {
  const { address, timeoutMs, watch } = question;
  const asked = await askStatus(address, timeoutMs, io);
  if (watch && io.stdout.isTerminal) io.stdout.write(CLEAR);
  if (!asked.ok) return unreachable(address, asked, io);
  let shown: string;
  let healthy: boolean;
  try {
    shown = text(question, asked, io);
    ({ healthy } = asked.snapshot.health);
  } catch {
    // What is said there about kinds and ranges is believed only until it turns out wrong.
    return unreachable(address, notWhole(), io);
  }
  io.stdout.write(shown);
  return healthy ? EXIT_OK : EXIT_PROBLEM;
}

function unreachable(address: string, { why, fix }: Unreachable, io: CliIo): number {
  io.stderr.write(`error  ${harmless(`Cannot read the status of ${address}: ${why}`)}\n`);
  io.stderr.write(`       ${harmless(fix)}.\n`);
  return EXIT_UNREACHABLE;
}

function text(question: Question, { snapshot, text }: Asked, io: CliIo): string {
  if (question.json) {
    const document = io.stdout.isTerminal ? shownJson(text) : text;
    return document.endsWith("\n") ? document : `${document}\n`;
  }
  const colour = wantsColour(io.stdout.isTerminal, io.env);
  const lines = question.host === undefined
    ? statusScreen(snapshot, new URL(question.address).host, colour)
    : explain(question.host, snapshot);
  return `${lines.join("\n")}\n`;
}
