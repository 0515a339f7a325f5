// The words after a benchmark's name: `--name=value`, all numbers or lists, nothing unknown.

export type Transport = "native" | "grpc-js";

export interface BenchOptions {
  /** Compared in one interleaved run, in this order; ratios are against the last one. */
  readonly transports: readonly Transport[];
  readonly rounds: number;
  /** A shorter run, for trying out: a tenth of the load. */
  readonly quick: boolean;
  /** What keeps grpc-js from dropping Envoy's connections; `none` shows what happens without. */
  readonly resetCure: "guard" | "cap" | "none";
}

const USAGE = "[--grpc-transport=native,grpc-js] [--rounds=5] [--quick] " +
  "[--reset-cure=guard|cap|none]";

const DEFAULTS: BenchOptions = {
  transports: ["native", "grpc-js"],
  rounds: 5,
  quick: false,
  resetCure: "guard",
};

/** The words that lead to these options. */
export function wordsOf({ transports, rounds, quick, resetCure }: BenchOptions): string[] {
  return [
    ...(`${transports}` === `${DEFAULTS.transports}` ? [] : [`--grpc-transport=${transports}`]),
    ...(rounds === DEFAULTS.rounds ? [] : [`--rounds=${rounds}`]),
    ...(quick ? ["--quick"] : []),
    ...(resetCure === DEFAULTS.resetCure ? [] : [`--reset-cure=${resetCure}`]),
  ];
}

/** @throws {Error} naming the word that is not understood. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const options: { -readonly [Key in keyof BenchOptions]: BenchOptions[Key] } = { ...DEFAULTS };
  for (const arg of args) {
    const [name, value = ""] = arg.split("=", 2);
    if (name === "--grpc-transport" && value !== "") {
      options.transports = value.split(",").map((one) => oneOf(arg, one, ["native", "grpc-js"]));
    } else if (name === "--rounds" && /^[1-9]\d*$/.test(value)) {
      options.rounds = Number(value);
    } else if (name === "--reset-cure") {
      options.resetCure = oneOf(arg, value, ["guard", "cap", "none"]);
    } else if (arg === "--quick") {
      options.quick = true;
    } else {
      throw new Error(`Cannot use as a word of a benchmark: ${arg}\nUsage: ${USAGE}`);
    }
  }
  return options;
}

function oneOf<T extends string>(arg: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) {
    throw new Error(`Cannot use as a word of a benchmark: ${arg}\nUsage: ${USAGE}`);
  }
  return found;
}
