import type { FrameLogEntry, PeerFrameLog, PeerFrameLogs } from '@hilltop/network-server';
import type { Bus } from '../bus/bus.ts';
import { type LoggedFrame, packFrame, unpackFrame } from '../bus/frames.ts';

type StoredEntries = (key: string) => readonly FrameLogEntry[];

const askWithinMs = 300;
/** Instances of 0.1 know the former name only; an entry that is answered twice counts once. */
const questions = ['stored-frames', 'kept-frames'] as const;

export interface PeerFrameLogsByNetwork {
  of: (networkServerID: number) => PeerFrameLogs;
  /** Removes a network server that was deleted. */
  forget: (networkServerID: number) => void;
  stop: () => void;
}

/**
 * The frame logs of all instances as one: a viewer gets the stored frames of peers, and then their new ones. An
 * instance publishes new frames only while a viewer at a peer has subscribed.
 */
export function createPeerFrameLogs({ bus, instanceID }: { bus: Bus; instanceID: string }): PeerFrameLogsByNetwork {
  const logs = new Map<string, StoredEntries>();
  /** Numbers of stored frames: they distinguish them from frames that were published meanwhile. */
  const numbers = new WeakMap<FrameLogEntry, number>();
  let lastNumber = 0;

  const stops = questions.map((question) =>
    bus.answer(question, ({ log }) => {
      const [networkServerID, kind, key] = log.split(' ');
      return (logs.get(`${networkServerID} ${kind}`)?.(key!) ?? []).map((entry) => packFrame(loggedAs(entry)));
    }),
  );

  const loggedAs = (entry: FrameLogEntry): LoggedFrame => ({ instanceID, number: numbers.get(entry)!, entry });

  function log(name: string): PeerFrameLog<FrameLogEntry> {
    return {
      share: (storedEntries) => void logs.set(name, storedEntries),
      added(key, entry) {
        lastNumber += 1;
        numbers.set(entry, lastNumber);
        bus.publish('frame', `${name} ${key}`, loggedAs(entry));
      },
      async follow(key, own, onFrame) {
        const of = `${name} ${key}`;
        /** The number of the newest received frame of each instance. */
        const newest = new Map<string, number>();
        let early: LoggedFrame[] | undefined = [];
        function take({ instanceID: from, number, entry }: LoggedFrame): FrameLogEntry[] {
          if (number <= (newest.get(from) ?? 0)) return [];
          newest.set(from, number);
          return [entry];
        }
        const unsubscribe = await bus.subscribeToPeers('frame', of, (frame) => {
          if (early) early.push(frame);
          else for (const entry of take(frame)) onFrame(entry);
        });
        const answers = await Promise.all(
          questions.map((question) => bus.askPeers(question, { log: of }, askWithinMs)),
        );
        const stored = [...answers.flat(2).map(unpackFrame), ...early].flatMap(take);
        early = undefined;
        return { stored: [...own, ...stored].sort((one, other) => timeOf(one) - timeOf(other)), stop: unsubscribe };
      },
    };
  }

  return {
    of: (id) => ({ ofGateways: log(`${id} gateway`), ofDevices: log(`${id} device`) }),
    forget: (id) => {
      for (const kind of ['gateway', 'device']) logs.delete(`${id} ${kind}`);
    },
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

const timeOf = ({ uplinkFrameSet, downlinkFrame }: FrameLogEntry): number =>
  (uplinkFrameSet ?? downlinkFrame)?.publishedAt?.getTime() ?? 0;
