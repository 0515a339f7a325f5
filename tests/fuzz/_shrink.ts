// Makes an input that fails smaller while it still fails, for people who will read it. Used by
// _loop.ts, after a failure only.
import { type Form, Input } from "./_input.ts";

const MS_MAX = 5_000;

/** The smallest list found that still fails: pieces are left out, large ones first. */
async function shrunkList<T>(
  list: readonly T[],
  fails: (list: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let best = list;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length;) {
      const tried = [...best.slice(0, at), ...best.slice(at + size)];
      if (tried.length < best.length && await fails(tried)) best = tried;
      else at += size;
    }
  }
  return best;
}

/** `fails`: runs an input and says whether it fails. Bounded in time; the input itself is not run. */
export async function shrunk(
  form: Form,
  input: Input,
  fails: (input: Input) => Promise<boolean>,
): Promise<Input> {
  const endMs = performance.now() + MS_MAX;
  const inTime = async (tried: Input) => performance.now() < endMs && await fails(tried);
  switch (form) {
    case "hex": {
      const bytes = [...input.bytes];
      const small = await shrunkList(bytes, (some) => inTime(Input.bytes(Uint8Array.from(some))));
      return Input.bytes(Uint8Array.from(small));
    }
    case "text": {
      const units = input.text.split("");
      const small = await shrunkList(units, (some) => inTime(Input.text(some.join(""))));
      return Input.text(small.join(""));
    }
    case "talk": {
      const { seed, parts } = input;
      return new Input(seed, await shrunkList(parts, (some) => inTime(new Input(seed, some))));
    }
  }
}
