import { setTimeout as delay } from 'node:timers/promises';
import type { Device, Transmission } from '@hilltop/simulator';
import type { Field, FieldOptions } from './field.ts';

/** How often devices do something, as shares of their uplinks from 0 to 1. */
export interface Habits {
  confirmed: number;
  repeated: number;
  asks: number;
  rejoins: number;
  /** Queue items added and queues flushed through the API. */
  queued: number;
  flushed: number;
}

/** All kinds of traffic at once. */
export const busy: Habits = { confirmed: 0.2, repeated: 0.05, asks: 0.1, rejoins: 0.02, queued: 0.4, flushed: 0.05 };
export const plain: Habits = { confirmed: 0, repeated: 0, asks: 0, rejoins: 0, queued: 0, flushed: 0 };

/** Options of all fault runs. */
export interface RunOptions extends Pick<FieldOptions, 'random' | 'devices' | 'settings'> {
  perSecond: number;
  habits: Habits;
  /** Missing uplinks count as lost when no event arrives for this time. */
  patienceMs: number;
}

const repeatAfterMs = 400;

export interface Traffic extends Disposable {
  /** Resolves when each uplink is acknowledged or has timed out. */
  end(): Promise<void>;
}

/** Sends uplinks of the devices round-robin at an even rate (open loop). */
export function startTraffic(field: Field, perSecond: number, habits: Habits): Traffic {
  const { devices, network, ledger, random, client } = field;
  const busyJoining = new Set<Device>();
  /** A server that was cut off or stood still may carry out a flush after the call has failed. */
  const maybeFlushedLater = new Set<string>();
  const underway = new Set<Promise<void>>();
  const began = performance.now();
  let done = 0;

  function track(work: Promise<void>): void {
    underway.add(work);
    void work.finally(() => underway.delete(work));
  }

  function speak(device: Device): void {
    const isFixed = !field.joining.has(device);
    if (!isFixed && random() < habits.rejoins) return track(join(device));
    if (isFixed && random() < habits.flushed) track(flush(device));
    if (isFixed && random() < habits.queued) track(enqueue(device));
    if (random() < habits.asks) device.ask(random() < 0.5 ? 'LinkCheckReq' : 'DeviceTimeReq');
    const data = markOf(1);
    const mark = data.toBase64();
    const { devAddr, fCntUp } = device.session!;
    ledger.uplinkSent(
      mark,
      `${device.devEUI} ${devAddr} ${fCntUp} ${Math.round((performance.now() - began) / 100) / 10}`,
    );
    const transmission = device.uplink({ fPort: 10, data, confirmed: random() < habits.confirmed });
    track(transmit(device, transmission, mark));
    if (random() < habits.repeated) track(repeat(device, fCntUp, mark));
  }

  async function transmit(device: Device, transmission: Transmission, mark: string): Promise<void> {
    const { acknowledged } = await network.transmit(device, transmission);
    if (acknowledged) ledger.uplinkAcknowledged(mark);
  }

  async function repeat(device: Device, fCntUp: number, mark: string): Promise<void> {
    await delay(repeatAfterMs);
    if (device.session?.fCntUp === fCntUp + 1) await transmit(device, device.repeat(), mark);
  }

  async function join(device: Device): Promise<void> {
    busyJoining.add(device);
    await network.join(device, { dataRate: 5 });
    busyJoining.delete(device);
  }

  async function enqueue({ devEUI }: Device): Promise<void> {
    const data = markOf(2).toBase64();
    const item = { devEUI, fPort: 20, data, confirmed: random() < 0.3, fCnt: 0, jsonObject: '' };
    await client.deviceQueue.enqueue({ deviceQueueItem: item }).then(
      () => {
        ledger.queued(data, devEUI);
        if (maybeFlushedLater.has(devEUI)) ledger.flushed(devEUI);
      },
      () => ledger.callFailed(),
    );
  }

  async function flush({ devEUI }: Device): Promise<void> {
    ledger.flushed(devEUI);
    await client.deviceQueue.flush({ devEUI }).catch(() => maybeFlushedLater.add(devEUI));
    ledger.flushed(devEUI);
  }

  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * perSecond;
    for (; done < due; done += 1) {
      const device = devices[done % devices.length]!;
      if (!busyJoining.has(device)) speak(device);
    }
  }, 5);
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(underway);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

let marks = 0;

/** Eight bytes that no other message of this process has. */
function markOf(kind: number): Uint8Array {
  marks += 1;
  const mark = new Uint8Array(8);
  new DataView(mark.buffer).setUint32(0, kind);
  new DataView(mark.buffer).setUint32(4, marks);
  return mark;
}
