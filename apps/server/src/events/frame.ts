import type { EventNote } from '@hilltop/contract';
import type { FrameReport } from '@hilltop/network-server';
import type { ServerEffect } from './effect.ts';
import type { EventDependencies } from './event-dependencies.ts';
import type { OwnEvent } from './recorder.ts';

/** A frame that only the history shows: a join, a downlink without application data, or one that was refused. */
export async function onFrame(
  { recorder, clock }: Pick<EventDependencies, 'recorder' | 'clock'>,
  { devEUI, dropped, leftOut, frame, received, mac }: FrameReport,
): Promise<ServerEffect> {
  const note: EventNote | undefined =
    received || mac.length > 0 ? { ...received, ...(mac.length > 0 && { mac }) } : undefined;
  const omitted: OwnEvent[] = leftOut > 0 ? [{ kind: 'dropped', payload: { more: leftOut } }] : [];
  const event: OwnEvent =
    dropped === undefined
      ? { kind: 'frame', payload: frame, note }
      : { kind: 'dropped', payload: { reason: dropped, ...frame }, note };
  return recorder.record({
    about: `${frame.mType} of ${devEUI}`,
    devEUI,
    at: clock.now(),
    events: [],
    ownEvents: [...omitted, event],
  });
}
