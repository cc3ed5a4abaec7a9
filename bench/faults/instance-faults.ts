/** Faults of instances, their databases and their networks. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { decodePacket, encodePacket } from '@hilltop/gateway-protocols';
import { postmasterOf } from '../driver/postgres.ts';
import { processTreeOf } from '../driver/process-use.ts';
import type { Field } from './field.ts';
import type { Instance, Instances } from './instances.ts';

export type InstanceFault = keyof typeof instanceFaults;

interface FaultTarget {
  instances: Instances;
  /** The instance with the fault. Clients do not call it during the fault. */
  victim: Instance;
  field: Field;
}

/** Ends the fault. */
type EndFault = () => Promise<void> | void;

export type StartFault = (target: FaultTarget) => Promise<EndFault> | EndFault;

const hour = 3_600_000;

export const instanceFaults = {
  killed: async ({ victim: { hilltop } }) => {
    await hilltop.stop('SIGKILL');
    return hilltop.start;
  },
  stopped: async ({ victim: { hilltop } }) => {
    await hilltop.stop('SIGTERM');
    return hilltop.start;
  },
  'standing still': ({ victim: { hilltop } }) => {
    process.kill(hilltop.pid(), 'SIGSTOP');
    return async () => {
      process.kill(hilltop.pid(), 'SIGCONT');
      await answers(hilltop.url);
    };
  },
  'refused by PostgreSQL': ({ victim: { toPostgres, hilltop } }) => {
    toPostgres.refuse();
    return async () => {
      toPostgres.heal();
      await answers(hilltop.url);
    };
  },
  'cut off from PostgreSQL': ({ victim: { toPostgres, hilltop } }) => {
    toPostgres.cut();
    return async () => {
      toPostgres.heal();
      await answers(hilltop.url);
    };
  },
  'forgotten between it and PostgreSQL': ({ victim: { toPostgres, hilltop } }) => {
    toPostgres.forget();
    return () => answers(hilltop.url);
  },
  'cut off from Redis': ({ victim: { toRedis } }) => {
    toRedis.cut();
    return () => toRedis.heal();
  },
  'cut off from everything': ({ victim: { network, hilltop } }) => {
    if (!network) throw new Error('This takes instances with networks of their own.');
    network.cut();
    return async () => {
      network.heal();
      await answers(hilltop.url);
    };
  },
  'PostgreSQL ended': async ({ instances: { postgres, all } }) => {
    await postgres.halt();
    return async () => {
      await postgres.resume();
      for (const { hilltop } of all) await answers(hilltop.url);
    };
  },
  'PostgreSQL standing still': ({ instances: { postgres, all } }) => {
    const family = processTreeOf(postmasterOf(postgres));
    for (const pid of family) process.kill(pid, 'SIGSTOP');
    return async () => {
      for (const pid of family) process.kill(pid, 'SIGCONT');
      for (const { hilltop } of all) await answers(hilltop.url);
    };
  },
  'stopped while the others stand still': async ({ victim, instances: { all } }) => {
    const others = all.filter((one) => one !== victim).map(({ hilltop }) => hilltop);
    for (const { pid } of others) process.kill(pid(), 'SIGSTOP');
    await victim.hilltop.stop('SIGTERM');
    return async () => {
      for (const { pid } of others) process.kill(pid(), 'SIGCONT');
      await victim.hilltop.start();
      for (const { url } of others) await answers(url);
    };
  },
  'stopped while PostgreSQL stands still': async ({ victim, instances: { postgres } }) => {
    const family = processTreeOf(postmasterOf(postgres));
    for (const pid of family) process.kill(pid, 'SIGSTOP');
    await victim.hilltop.stop('SIGTERM');
    return async () => {
      for (const pid of family) process.kill(pid, 'SIGCONT');
      await victim.hilltop.start();
    };
  },
  'PostgreSQL slow': ({ instances }) => {
    for (const { toPostgres } of instances.all) toPostgres.delay(20);
    return () => instances.all.forEach(({ toPostgres }) => toPostgres.heal());
  },
  'Redis killed': async ({ instances: { redis } }) => {
    await redis.stop();
    return redis.start;
  },
  'Redis flushed': ({ instances: { redis } }) => {
    const socket = connect(redis.port, '127.0.0.1').resume();
    const timer = setInterval(() => socket.write('FLUSHALL\r\n'), 50);
    return () => {
      clearInterval(timer);
      socket.destroy();
    };
  },
  'Redis standing still': ({ instances: { redis } }) => {
    redis.pause();
    return redis.resume;
  },
  'Redis slow': ({ instances }) => {
    for (const { toRedis } of instances.all) toRedis.delay(120);
    return () => instances.all.forEach(({ toRedis }) => toRedis.heal());
  },
  'clocks an hour apart': ({ victim, instances: { all } }) => {
    const other = all.find((one) => one !== victim);
    victim.clock.jump(hour);
    other?.clock.jump(-hour);
    return () => {
      victim.clock.jump(0);
      other?.clock.jump(0);
    };
  },
  'flows moved': ({ instances: { balancer } }) => {
    const timer = setInterval(() => balancer.move(), 1000);
    return () => clearInterval(timer);
  },
  'two gateways with one EUI': async ({ victim, field }) => {
    const impostor = createSocket('udp4').bind(0, '127.0.0.2');
    await once(impostor, 'listening');
    const { gatewayID } = field.gateways[0]!;
    let misdirected = 0;
    impostor.on('message', (bytes) => {
      if (decodePacket(bytes).type === 'PULL_RESP') misdirected += 1;
    });
    const pull = encodePacket({ type: 'PULL_DATA', version: 2, token: 7, gatewayID });
    const timer = setInterval(() => impostor.send(pull, victim.hilltop.udpPort, '127.0.0.1'), 200);
    return () => {
      clearInterval(timer);
      impostor.close();
      if (misdirected > 0) throw new Error(`${misdirected} downlinks went to another gateway of the same EUI.`);
    };
  },
} as const satisfies Record<string, StartFault>;

/** Faults that need proxies around the instances or shifted clocks. */
export const proxyFaults: ReadonlySet<InstanceFault> = new Set<InstanceFault>([
  'refused by PostgreSQL',
  'cut off from PostgreSQL',
  'forgotten between it and PostgreSQL',
  'cut off from Redis',
  'PostgreSQL slow',
  'Redis slow',
  'clocks an hour apart',
]);

/** Resolves when the instance reports that it is healthy. */
async function answers(url: string): Promise<void> {
  for (const until = performance.now() + 30_000; performance.now() < until; await delay(50))
    if ((await fetch(`${url}/health`).catch(() => null))?.ok) return;
  throw new Error('An instance did not come back within 30 s.');
}
