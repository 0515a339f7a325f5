// A certificate authority of one test run: server and client certificates that it has signed, made by
// the openssl program.

const CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

async function openssl(...args: string[]): Promise<void> {
  const output = await new Deno.Command("openssl", { args, stdout: "null", stderr: "piped" })
    .output();
  if (!output.success) {
    throw new Error(`Cannot run openssl: ${new TextDecoder().decode(output.stderr)}`);
  }
}

export class Authority implements AsyncDisposable {
  readonly #dir: string;
  readonly ca: string;

  private constructor(dir: string, ca: string) {
    this.#dir = dir;
    this.ca = ca;
  }

  static async make(): Promise<Authority> {
    const dir = await Deno.makeTempDir();
    const [key, cert] = [`${dir}/ca.key`, `${dir}/ca.crt`];
    await openssl(
      ...["req", "-x509", ...CURVE, "-keyout", key, "-out", cert, "-days", "2"],
      ...["-subj", "/CN=test authority", "-addext", "basicConstraints=critical,CA:TRUE"],
    );
    return new Authority(dir, await Deno.readTextFile(cert));
  }

  /** A certificate for a DNS name (or `IP:…`), good for servers and clients. */
  async issue(name: string): Promise<Pair> {
    const base = `${this.#dir}/${crypto.randomUUID()}`;
    const san = name.startsWith("IP:") ? name : `DNS:${name}`;
    await Deno.writeTextFile(
      `${base}.ext`,
      `subjectAltName=${san}\nextendedKeyUsage=serverAuth,clientAuth\n`,
    );
    await openssl(
      ...["req", "-new", ...CURVE, "-keyout", `${base}.key`, "-out", `${base}.csr`],
      ...["-subj", `/CN=${name.replace("IP:", "")}`],
    );
    await openssl(
      ...["x509", "-req", "-in", `${base}.csr`, "-CA", `${this.#dir}/ca.crt`],
      ...["-CAkey", `${this.#dir}/ca.key`, "-CAcreateserial", "-out", `${base}.crt`],
      ...["-days", "2", "-extfile", `${base}.ext`],
    );
    return {
      cert: await Deno.readTextFile(`${base}.crt`),
      key: await Deno.readTextFile(`${base}.key`),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#dir, { recursive: true });
  }
}
