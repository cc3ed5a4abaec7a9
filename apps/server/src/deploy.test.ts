import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { type Config, readConfig, settings } from './config.ts';
import { environmentName } from './environment-name.ts';
import { startTestApp, type TestApp } from './testing/test-app.ts';

const folder = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const read = (file: string) => readFile(join(folder, file), 'utf8');
const execute = promisify(execFile);
const known = new Set(Object.keys(settings.shape).map(environmentName));
const namesIn = (text: string) => [...text.matchAll(/HILLTOP_[A-Z_]+/g)].map(([name]) => name);

/** Settings whose values are files of the operator. */
const stored = {
  HILLTOP_DATABASE_URL: 'postgres://hilltop:secret@postgres/hilltop',
  HILLTOP_REDIS_URL: 'redis://:secret@redis:6379',
};

interface Service {
  image: string;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  ports?: string[];
  secrets?: string[];
  volumes?: string[];
  networks: string[] | Record<string, { ipv4_address?: string }>;
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
}
interface Compose {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  networks: Record<string, object>;
  volumes: Record<string, object>;
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: {
    selector: Record<string, unknown>;
    ports?: { targetPort: string; protocol?: string }[];
    template?: {
      metadata: { labels: Record<string, string> };
      spec: { containers: [Container]; volumes: { name: string }[]; securityContext: { runAsNonRoot: boolean } };
    };
  };
}
interface Container {
  env: { name: string; value?: string }[];
  ports: { name: string; containerPort: number; protocol?: string }[];
  volumeMounts: { name: string; mountPath: string }[];
  securityContext: object;
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}

/** The ports of a server with these settings, as `8080` or `1700/udp`. */
function portsOf({ http, udp, basicsStation, grpc, mqtt, mqtts }: Config): string[] {
  const tcp = [http, basicsStation, grpc, mqtt, mqtts].flatMap((address) => (address ? [String(address.port)] : []));
  return [...tcp, `${udp.port}/udp`];
}

describe('the deployment files of several instances', () => {
  let app: TestApp;
  let compose: Compose;
  let instances: [string, Service][];
  before(async () => {
    app = await startTestApp('sqlite');
    compose = parse(await read('compose.yaml'), { merge: true }) as Compose;
    instances = Object.entries(compose.services).filter(([name]) => name.startsWith('hilltop-'));
  });
  after(() => app[Symbol.asyncDispose]());

  async function isHealth(path: string): Promise<void> {
    const answer = await app.fetch(path);
    assert.equal(answer.status, 200, path);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/, `${path} is no page of the console`);
  }

  it('use only existing settings', async () => {
    for (const file of await readdir(folder)) {
      if ((await stat(join(folder, file))).isDirectory()) continue;
      for (const name of namesIn(await read(file))) assert.ok(known.has(name), `${file}: ${name}`);
    }
  });

  it('define three instances with valid settings, for compose', async () => {
    assert.equal(instances.length, 3);
    const names = new Set<string>();
    for (const [name, { environment = {}, healthcheck, secrets = [], networks }] of instances) {
      const config = readConfig({ args: [], environment: { ...environment, ...stored } });
      names.add(config.instanceName);
      for (const file of [config.encryptionKeyFile, config.tokenKeyFile])
        assert.ok(secrets.includes(file.replace('/run/secrets/', '')), `${name}: ${file}`);
      assert.deepEqual(Object.keys(networks).sort(), ['front', 'storage']);
      const [, port, path = ''] = /:(\d+)(\/[\w/]+)'/.exec(healthcheck!.test.join(' ')) ?? [];
      assert.equal(Number(port), config.http.port);
      await isHealth(path);
    }
    assert.equal(names.size, 3);
  });

  it('give containers no unneeded rights, and secrets only by files', async () => {
    for (const [name, service] of Object.entries(compose.services)) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      // Its start script changes the owner of the directory as root and then drops that right.
      if (name !== 'postgres') assert.deepEqual([service.cap_drop, /^0\b/.test(service.user ?? '0')], [['ALL'], false]);
      for (const secret of service.secrets ?? []) assert.ok(compose.secrets[secret], `${name}: ${secret}`);
      for (const network of Array.isArray(service.networks) ? service.networks : Object.keys(service.networks))
        assert.ok(compose.networks[network], `${name}: ${network}`);
      for (const volume of service.volumes ?? []) {
        const [from = ''] = volume.split(':');
        assert.ok(from.startsWith('./') ? existsSync(join(folder, from)) : from in compose.volumes, `${name}: ${from}`);
      }
    }
    const open = Object.entries(compose.services).flatMap(([name, { ports }]) => (ports ? [name] : []));
    assert.deepEqual(open.sort(), ['mosquitto', 'nginx']);
  });

  it('make nginx forward to the ports of the instances, which trust it', async () => {
    const nginx = await read('nginx.conf');
    const led = new Set([...nginx.matchAll(/server (172\.[\d.]+):(\d+)/g)].map(([, host, port]) => `${host}:${port}`));
    const expected = instances.flatMap(([, { networks, environment }]) => {
      const { http, udp, basicsStation } = readConfig({ args: [], environment: { ...environment, ...stored } });
      const host = (networks as Record<string, { ipv4_address?: string }>)['front']!.ipv4_address;
      return [http, udp, basicsStation!].map(({ port }) => `${host}:${port}`);
    });
    assert.deepEqual([...led].sort(), expected.sort());
    const own = (compose.services['nginx']!.networks as Record<string, { ipv4_address: string }>)['front']!
      .ipv4_address;
    for (const [, { environment = {} }] of instances) assert.equal(environment['HILLTOP_TRUST_PROXY'], own);
    const listened = [...nginx.matchAll(/^\s+listen (\d+)( udp)?/gm)].map(
      ([, port, udp]) => `${port}${udp ? '/udp' : ''}`,
    );
    const published = compose.services['nginx']!.ports!.map((port) => port.slice(port.indexOf(':') + 1));
    assert.deepEqual(listened.sort(), published.sort());
  });

  it('create keys, passwords and valid settings, once', async (t) => {
    const copy = await mkdtemp(join(tmpdir(), 'hilltop-deploy-'));
    t.after(() => rm(copy, { recursive: true }));
    cpSync(join(folder, 'make-secrets.sh'), join(copy, 'make-secrets.sh'));
    const make = () => execute('sh', ['make-secrets.sh', 'lora.example.org'], { cwd: copy });
    await make();
    const secrets = join(copy, 'secrets');
    assert.equal((await stat(secrets)).mode & 0o777, 0o700);
    for (const { file } of Object.values(compose.secrets)) assert.ok(existsSync(join(copy, file)), file);
    const config = readConfig({ args: ['--config', join(secrets, 'hilltop.json')], environment: {} });
    const password = await readFile(join(secrets, 'postgres.password'), 'utf8');
    assert.equal(new URL(config.databaseURL).password, password.trim());
    const contents = () =>
      Promise.all(Object.values(compose.secrets).map(({ file }) => readFile(join(copy, file), 'utf8')));
    const first = await contents();
    await make();
    assert.deepEqual(await contents(), first);
    await using _server = await startTestApp('sqlite', {
      encryptionKeyFile: join(secrets, 'encryption.key'),
      tokenKeyFile: join(secrets, 'token.key'),
    });
  });

  it('make Kubernetes check and forward to existing ports', async () => {
    const documents = parseAllDocuments(await read('kubernetes.yaml'));
    assert.deepEqual(
      documents.flatMap(({ errors }) => errors),
      [],
    );
    const manifests = documents.map((document) => document.toJS() as Manifest);
    const { template } = manifests.find(({ kind }) => kind === 'Deployment')!.spec;
    const { containers, volumes, securityContext } = template!.spec;
    const [container] = containers;
    const environment = Object.fromEntries(container.env.map(({ name, value = 'a name' }) => [name, value]));
    const config = readConfig({ args: [], environment: { ...environment, ...stored } });
    const ports = container.ports.map(({ containerPort, protocol }) => `${containerPort}${protocol ? '/udp' : ''}`);
    for (const port of ports) assert.ok(portsOf(config).includes(port), port);
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
      const { path, port } = container[probe]!.httpGet;
      assert.equal(container.ports.find(({ name }) => name === port)?.containerPort, config.http.port);
      await isHealth(path);
    }
    assert.equal(securityContext.runAsNonRoot, true);
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    assert.deepEqual(container.volumeMounts.map(({ name }) => name).sort(), volumes.map(({ name }) => name).sort());
    for (const file of [config.encryptionKeyFile, config.tokenKeyFile, `${config.data}/`])
      assert.ok(
        container.volumeMounts.some(({ mountPath }) => file.startsWith(`${mountPath}/`)),
        file,
      );
    for (const { metadata, spec } of manifests.filter(({ kind }) => kind === 'Service')) {
      assert.deepEqual(spec.selector, template!.metadata.labels);
      for (const { targetPort, protocol } of spec.ports!)
        assert.equal(container.ports.find(({ name }) => name === targetPort)?.protocol, protocol, metadata.name);
    }
  });

  it('start the server by the script of the archive, in the image and by systemd', async (t) => {
    assert.match(await read('Dockerfile'), /^ENTRYPOINT \["\.\/hilltop"\]$/m);
    const unit = await read('hilltop.service');
    assert.match(unit, /^ExecStart=\/opt\/hilltop\/hilltop --config \$\{CREDENTIALS_DIRECTORY\}\/hilltop\.json$/m);
    if (!existsSync('/usr/bin/systemd-analyze')) return t.diagnostic('systemd-analyze is not installed');
    const copy = await mkdtemp(join(tmpdir(), 'hilltop-unit-'));
    t.after(() => rm(copy, { recursive: true }));
    const file = join(copy, 'hilltop.service');
    // It also checks that the program exists.
    await writeFile(file, unit.replaceAll('/opt/hilltop/hilltop', process.execPath));
    const { stderr } = await execute('systemd-analyze', ['verify', file]);
    assert.equal(stderr, '');
  });
});
