import type { LoggedEvent } from '../event-log/event-log.ts';

/** An event that is to be delivered. */
export interface DeliveryEntry {
  readonly event: LoggedEvent;
  /** The how-manieth it is that was read: tells how far reading is ahead of delivering. */
  readonly number: number;
  attempts: number;
  /** Parts of its delivery that are done. */
  readonly done: Set<string>;
  /** How often it failed while others passed. */
  unlucky: number;
}

/** The events of one device for one integration: one after the other, the oldest first. */
export interface DeviceQueue {
  readonly devEUI: string;
  /** Of events that are set aside: these are in the database, and only counted here. */
  readonly isParked: boolean;
  readonly waiting: DeliveryEntry[];
  /** Events that are set aside. */
  rows: number;
  isBusy: boolean;
  /** On the wall: nothing of it is tried before. */
  notBefore: number;
}

export interface DeviceQueues {
  of(devEUI: string): DeviceQueue | undefined;
  /** Made when there is none. */
  lane(devEUI: string): DeviceQueue;
  add(entry: DeliveryEntry): void;
  /** A lane whose next event may be sent now; it is busy until it is given back. */
  acquire(): DeviceQueue | undefined;
  release(lane: DeviceQueue): void;
  /** Lanes whose time has come may be taken from now on; whether there is any to take. */
  isAnyDue(now: number): boolean;
  /** Nobody has to wait for their time. */
  clearDelays(): void;
  all(): Iterable<DeviceQueue>;
  size(): number;
}

/** `isParked`: lanes of events that are set aside. */
export function createDeviceQueues(isParked: boolean): DeviceQueues {
  const lanes = new Map<string, DeviceQueue>();
  const ready = new Set<DeviceQueue>();
  const later = new Set<DeviceQueue>();

  const isEmpty = (lane: DeviceQueue) => (isParked ? lane.rows === 0 : lane.waiting.length === 0);

  function lane(devEUI: string): DeviceQueue {
    let found = lanes.get(devEUI);
    if (!found) {
      found = { devEUI, isParked, waiting: [], rows: 0, isBusy: false, notBefore: 0 };
      lanes.set(devEUI, found);
    }
    return found;
  }

  function offer(one: DeviceQueue): void {
    if (one.isBusy) return;
    ready.delete(one);
    later.delete(one);
    if (isEmpty(one)) lanes.delete(one.devEUI);
    else if (one.notBefore > 0) later.add(one);
    else ready.add(one);
  }

  return {
    of: (devEUI) => lanes.get(devEUI),
    lane,
    add: (entry) => {
      const one = lane(entry.event.devEUI);
      one.waiting.push(entry);
      if (!one.isBusy && one.waiting.length === 1) offer(one);
    },
    acquire: () => {
      const [one] = ready;
      if (!one) return undefined;
      ready.delete(one);
      one.isBusy = true;
      return one;
    },
    release: (one) => {
      one.isBusy = false;
      offer(one);
    },
    isAnyDue: (now) => {
      for (const one of later)
        if (one.notBefore <= now) {
          one.notBefore = 0;
          offer(one);
        }
      return ready.size > 0;
    },
    clearDelays: () => {
      for (const one of lanes.values()) {
        one.notBefore = 0;
        offer(one);
      }
    },
    all: () => lanes.values(),
    size: () => lanes.size,
  };
}
