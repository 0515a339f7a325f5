// The Kustomize base of deploy/base as tests read it: its objects, and the program over its files.
import { parse } from "yaml";
import { type ProgramResult, runProgram } from "../support/router_process.ts";

export const BASE = "deploy/base";
export const BOOTSTRAP = `${BASE}/envoy.yaml`;
const ROOT = new URL("../../", import.meta.url).pathname;

// deno-lint-ignore no-explicit-any
export type Yaml = any;

/** One file, parsed. */
export function read(file: string): Yaml {
  return parse(Deno.readTextFileSync(`${ROOT}${BASE}/${file}`));
}

/** A file of the base as it is. */
export function text(path: string): string {
  return Deno.readTextFileSync(`${ROOT}${path}`);
}

/** Files of Kubernetes objects, as the base lists them. */
export function objectFiles(): string[] {
  return read("kustomization.yaml").resources;
}

export function podSpec(): Yaml {
  return read("deployment.yaml").spec.template.spec;
}

/** @throws {Error} when the pod has no container of that name. */
export function container(name: string): Yaml {
  const found = podSpec().containers.find((one: Yaml) => one.name === name);
  if (found === undefined) throw new Error(`Cannot find container: ${name}`);
  return found;
}

/** The flags of the router's container. */
export function routerFlags(): string[] {
  const [command, ...flags] = container("router").args;
  if (command !== "serve") throw new Error(`Cannot read as the router's words: ${command}`);
  return flags;
}

/** The value of one of its flags. */
export function flag(name: string): string | undefined {
  const start = `--${name}=`;
  return routerFlags().find((one) => one.startsWith(start))?.slice(start.length);
}

/** `validate --strict` over manifests. */
export function validate(manifests: readonly string[], ...more: string[]): Promise<ProgramResult> {
  return runProgram([
    "validate",
    "--strict",
    ...manifests.map((file) => `--manifest=${file}`),
    ...more,
  ]);
}

/** Runs a program. @returns undefined when it is not there. */
export async function tool(
  name: string,
  args: readonly string[],
): Promise<ProgramResult | undefined> {
  try {
    const { code, stdout, stderr } = await new Deno.Command(name, {
      args: [...args],
      cwd: ROOT,
      stdout: "piped",
      stderr: "piped",
    }).output();
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: decode(stdout), stderr: decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
