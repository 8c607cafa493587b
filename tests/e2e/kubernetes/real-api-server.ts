import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import { until } from "../condition.ts";

const TOKEN = "a-token-of-the-tests";

export type RealApiServer = {
  kubeconfig: string;
  /** The same in a file. */
  file: string;
  close(): Promise<void>;
};

/**
 * Starts a real API server with its etcd, without a scheduler, controllers and nodes: objects are judged and kept as
 * in any cluster, but no pod runs.
 * @param assets a folder with `etcd` and `kube-apiserver`, as `KUBEBUILDER_ASSETS` names it
 */
export async function startApiServer(assets: string): Promise<RealApiServer> {
  const folder = mkdtempSync(join(tmpdir(), "berth-apiserver-"));
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const keys = Bun.spawnSync(["openssl", "genrsa", "-out", join(folder, "accounts.key"), "2048"]);
  if (keys.exitCode !== 0) throw new Error(keys.stderr.toString());
  writeFileSync(join(folder, "tokens.csv"), `${TOKEN},berth,1,"system:masters"\n`);
  const run = (name: string, args: string[]) =>
    Bun.spawn([join(assets, name), ...args], {
      stdio: ["ignore", "ignore", Bun.file(join(folder, `${name}.log`))],
    });
  const etcd = run("etcd", [
    ...["--data-dir", join(folder, "etcd"), "--unsafe-no-fsync"],
    ...["--listen-client-urls", etcdUrl, "--advertise-client-urls", etcdUrl],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
    ...["--initial-cluster", `default=${peerUrl}`],
  ]);
  const server = run("kube-apiserver", [
    ...["--etcd-servers", etcdUrl, "--secure-port", String(port), "--bind-address", "127.0.0.1"],
    ...["--cert-dir", join(folder, "certs"), "--token-auth-file", join(folder, "tokens.csv")],
    ...["--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.0.0.0/24"],
    ...["--service-account-issuer", "https://localhost", "--disable-admission-plugins", "ServiceAccount"],
    ...["--service-account-key-file", join(folder, "accounts.key")],
    ...["--service-account-signing-key-file", join(folder, "accounts.key")],
  ]);
  const certificate = () => readFileSync(join(folder, "certs", "apiserver.crt"), "utf8");
  const close = async () => {
    for (const child of [server, etcd]) {
      child.kill();
      await child.exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until("the API server to be ready", async () => {
      if (server.exitCode !== null)
        throw new Error(readFileSync(join(folder, "kube-apiserver.log"), "utf8").slice(-2_000));
      const answer = await fetch(`https://127.0.0.1:${port}/api/v1/namespaces/default`, {
        headers: { authorization: `Bearer ${TOKEN}` },
        tls: { rejectUnauthorized: false },
      }).catch(() => undefined);
      return answer?.status === 200;
    });
  } catch (error) {
    await close();
    throw error;
  }
  const ca = Buffer.from(certificate()).toString("base64");
  const kubeconfig = JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "here" },
    contexts: [{ name: "here", context: { cluster: "it", user: "berth" } }],
    clusters: [
      { name: "it", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority-data": ca } },
    ],
    users: [{ name: "berth", user: { token: TOKEN } }],
  });
  const file = join(folder, "kubeconfig");
  writeFileSync(file, kubeconfig);
  return { kubeconfig, file, close };
}
