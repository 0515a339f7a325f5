// HTTPS from ADS: the certificate is a secret that names files, and Envoy takes new ones the way
// Kubernetes swaps them, without a word from us and without dropping a connection.
import { assertEquals, assertRejects } from "@std/assert";
import { type Authority, createAuthority, type Issued } from "../support/certs.ts";
import { HttpConnection } from "../support/http.ts";
import { until } from "../support/until.ts";
import { startHeld } from "./_held.ts";
import { HOST, startWorld, type World } from "./_world.ts";

/** A volume as the kubelet mounts a Secret: `tls.crt` -> `..data/tls.crt`, `..data` -> a folder. */
class SecretVolume implements AsyncDisposable {
  #generation = 0;

  private constructor(readonly dir: string) {}

  static async mount(files: Issued | undefined): Promise<SecretVolume> {
    const volume = new SecretVolume(await Deno.makeTempDir({ prefix: "atenet-secret-" }));
    await volume.swap(files);
    for (const name of ["tls.crt", "tls.key"]) {
      await Deno.symlink(`..data/${name}`, `${volume.dir}/${name}`);
    }
    return volume;
  }

  /** What `--envoy-cert-path` is. */
  get path(): string {
    return `${this.dir}/`;
  }

  /** Puts another pair in place in one step. */
  async swap(files: Issued | undefined): Promise<void> {
    const folder = `..generation_${++this.#generation}`;
    await Deno.mkdir(`${this.dir}/${folder}`);
    if (files !== undefined) {
      await Deno.writeTextFile(`${this.dir}/${folder}/tls.crt`, files.cert);
      await Deno.writeTextFile(`${this.dir}/${folder}/tls.key`, files.key);
    }
    await Deno.symlink(folder, `${this.dir}/..data_tmp`);
    await Deno.rename(`${this.dir}/..data_tmp`, `${this.dir}/..data`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.dir, { recursive: true });
  }
}

/** A TLS connection to Envoy that trusts one authority. */
async function connectTls(
  world: World,
  authority: Authority,
  protocol: "h2" | "http/1.1" = "http/1.1",
): Promise<Deno.TlsConn> {
  const conn = await Deno.connectTls({
    hostname: "localhost",
    port: world.envoy.httpsPort,
    caCerts: [authority.ca],
    alpnProtocols: [protocol],
  });
  try {
    assertEquals((await conn.handshake()).alpnProtocol, protocol);
  } catch (error) {
    conn.close();
    throw error;
  }
  return conn;
}

async function openTls(world: World, authority: Authority): Promise<HttpConnection> {
  return new HttpConnection(await connectTls(world, authority));
}

async function accepts(world: World, authority: Authority): Promise<boolean> {
  try {
    using _ = await openTls(world, authority);
    return true;
  } catch {
    return false;
  }
}

const SUBJECT = { name: "localhost", dns: ["localhost"], ips: ["127.0.0.1"] };

Deno.test("a certificate that is swapped is used for new connections, open ones go on", async () => {
  const [first, second] = [await createAuthority("first"), await createAuthority("second")];
  await using volume = await SecretVolume.mount(await first.issue(SUBJECT));
  const { world, held } = await startHeld({ envoyCertPath: volume.path });
  await using _ = world;
  using kept = await openTls(world, first);
  assertEquals((await kept.request({ host: HOST })).status, 200);
  using waiting = await openTls(world, first);
  const parked = waiting.request({ host: HOST, path: "/parked" });
  await until("the request to be parked", () => held.asked.length === 1);
  (await connectTls(world, first, "h2")).close();
  assertEquals(await accepts(world, second), false);
  const answers = world.ads.server.rows();
  await volume.swap(await second.issue(SUBJECT));
  await until("the new certificate", () => accepts(world, second));
  await assertRejects(() => openTls(world, first));
  assertEquals((await kept.request({ host: HOST })).status, 200, "the open connection goes on");
  held.release();
  assertEquals((await parked).status, 200, "what was parked meanwhile too");
  using fresh = await openTls(world, second);
  assertEquals((await fresh.request({ host: HOST })).status, 200);
  assertEquals(await world.envoy.stat("listener_manager.listener_modified"), 0);
  assertEquals(world.ads.server.rows(), answers, "nothing was sent for it");
});

Deno.test("HTTP serves while the certificate is missing, HTTPS as soon as it is there", async () => {
  const authority = await createAuthority();
  await using volume = await SecretVolume.mount(undefined);
  await using world = await startWorld({ over: { envoyCertPath: volume.path } });
  using http = await HttpConnection.open(world.envoy.httpPort);
  assertEquals((await http.request({ host: HOST })).status, 200);
  assertEquals(await accepts(world, authority), false);
  await volume.swap(await authority.issue(SUBJECT));
  await until("the certificate", () => accepts(world, authority));
});

Deno.test("a key that does not belong to its certificate changes nothing", async () => {
  const authority = await createAuthority();
  const [good, other] = [await authority.issue(SUBJECT), await authority.issue(SUBJECT)];
  await using volume = await SecretVolume.mount(good);
  await using world = await startWorld({ over: { envoyCertPath: volume.path } });
  assertEquals(await accepts(world, authority), true);
  await volume.swap({ cert: good.cert, key: other.key });
  await until(
    "Envoy to look at it",
    () => world.envoy.stat("sds.atenet_certificate.key_rotation_failed"),
  );
  assertEquals(await accepts(world, authority), true);
});
