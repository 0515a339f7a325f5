// Self-signed certificates for tests, made by the openssl program.

/** Writes `<dir>/bundle.pem` (chain, then key) for a name; returns its path. */
export async function writeCertificate(dir: string, name: string): Promise<string> {
  const [key, chain] = [`${dir}/tls.key`, `${dir}/tls.crt`];
  const output = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key, "-out", chain, "-days", "2", "-subj", `/CN=${name}`],
      ...["-addext", `subjectAltName=DNS:${name}`],
    ],
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!output.success) {
    throw new Error(`Cannot make certificate: ${new TextDecoder().decode(output.stderr)}`);
  }
  const bundle = `${dir}/bundle.pem`;
  await Deno.writeTextFile(bundle, await Deno.readTextFile(chain) + await Deno.readTextFile(key));
  return bundle;
}
