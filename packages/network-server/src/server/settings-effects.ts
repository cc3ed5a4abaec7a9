/** Predicts the effects of other settings. */
import { setImmediate } from 'node:timers/promises';
import { encodeMacCommands, type KnownMacCommand, type MacCommandName } from '@hilltop/lorawan';
import { isSilent } from '../due/silent-sessions.ts';
import { requestBuilders } from '../mac/requests.ts';
import type { DeviceContext } from '../network/device-context.ts';
import type { Network } from '../network/network.ts';
import type { DeviceSession } from '../state/session.ts';

export interface SettingsEffects {
  /** The number of compared sessions. */
  devices: number;
  /** There are more devices; the counts cover the first ones only. */
  isPartial: boolean;
  /**
   * Commands that devices get with their next downlinks because of the settings, in the order in which they are sent.
   */
  commands: CommandEffect[];
  /** Devices whose sessions end because they were silent for too long under the new settings. */
  endingSessions: number;
}

export interface CommandEffect {
  name: MacCommandName;
  devices: number;
  /** How many of these devices have refused it too often and do not get it. */
  refusing: number;
}

/** Further sessions are not read: a user waits for the answer. */
const mostSessions = 20_000;
/** Sessions in one query; the event loop handles frames in between. */
const perQuery = 200;

/** Compares the requests for each device under the current settings and under the new ones. */
export async function effectsOfSettings(now: Network, then: Network): Promise<SettingsEffects> {
  // Random values must not appear as a difference.
  const random = (length: number) => new Uint8Array(length);
  const commands = new Map<MacCommandName, CommandEffect>();
  const at = await now.removalTime();
  let devices = 0;
  let endingSessions = 0;
  const found = (isPartial: boolean) => ({ devices, isPartial, commands: [...commands.values()], endingSessions });
  for (let after = ''; devices < mostSessions; ) {
    const sessions = await now.state.sessionsAfter(after, perQuery);
    for (const session of sessions) {
      const context = await contextOf({ ...now, random }, session);
      if (context) countNew(commands, context, { ...context, network: { ...then, random } });
      if (isSilent(session, then.settings, at) && !isSilent(session, now.settings, at)) endingSessions += 1;
    }
    devices += sessions.length;
    after = sessions.at(-1)?.devEUI ?? after;
    if (sessions.length < perQuery) return found(false);
    await setImmediate();
  }
  return found(true);
}

function countNew(commands: Map<MacCommandName, CommandEffect>, now: DeviceContext, then: DeviceContext): void {
  const { session, network } = then;
  if (network.settings.disableMACCommands) return;
  const before = new Set(requestsFor(now).map(encoded));
  for (const block of requestsFor(then)) {
    const [first] = block;
    if (!first || before.has(encoded(block))) continue;
    const effect = commands.get(first.name) ?? { name: first.name, devices: 0, refusing: 0 };
    effect.devices += 1;
    if ((session.macErrors[first.cid] ?? 0) > network.settings.maxMACCommandErrorCount) effect.refusing += 1;
    commands.set(first.name, effect);
  }
}

function requestsFor(context: DeviceContext): KnownMacCommand[][] {
  if (context.network.settings.disableMACCommands) return [];
  return requestBuilders.map((wish) => wish(context));
}

const encoded = (block: KnownMacCommand[]) => encodeMacCommands('down', block).toHex();
const unread = new Uint8Array();
const noKeys = { fNwkSIntKey: unread, sNwkSIntKey: unread, nwkSEncKey: unread, appSKey: null };

async function contextOf(network: Network, read: Omit<DeviceSession, 'keys'>): Promise<DeviceContext | null> {
  const device = await network.state.get('device', read.devEUI);
  const deviceProfile = device && (await network.state.get('deviceProfile', device.deviceProfileID));
  const serviceProfile = device && (await network.state.get('serviceProfile', device.serviceProfileID));
  if (!deviceProfile || !serviceProfile) return null;
  return { network, session: { ...read, keys: noKeys }, deviceProfile, serviceProfile };
}
