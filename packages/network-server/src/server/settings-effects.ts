/** Predicts what other settings would cause. */
import { setImmediate } from 'node:timers/promises';
import { encodeMacCommands, type KnownMacCommand, type MacCommandName } from '@hilltop/lorawan';
import { isSilent } from '../due/silent-sessions.ts';
import { wishes } from '../mac/requests.ts';
import type { DeviceContext } from '../network/device-context.ts';
import type { Network } from '../network/network.ts';
import type { DeviceSession } from '../state/session.ts';

export interface SettingsEffects {
  /** Sessions looked at. */
  devices: number;
  /** There are more devices: the counts are those of the first ones only. */
  isPartial: boolean;
  /** Commands that devices get with their next downlinks because of the settings, in the order they are sent. */
  commands: CommandEffect[];
  /** Devices whose sessions end because they were silent for too long under the new settings. */
  endingSessions: number;
}

export interface CommandEffect {
  name: MacCommandName;
  devices: number;
  /** Those of the devices that refused it too often before, and do not get it. */
  refusing: number;
}

/** Further sessions are not read: a user waits for the answer. */
const mostSessions = 20_000;
/** Sessions in one query; the event loop handles frames in between. */
const perTurn = 200;

/** Compares the requests for each device under the current settings and under the new ones. */
export async function effectsOfSettings(now: Network, then: Network): Promise<SettingsEffects> {
  // Random values must not look like a difference.
  const random = (length: number) => new Uint8Array(length);
  const commands = new Map<MacCommandName, CommandEffect>();
  const at = await now.removalTime();
  let devices = 0;
  let endingSessions = 0;
  const found = (isPartial: boolean) => ({ devices, isPartial, commands: [...commands.values()], endingSessions });
  for (let after = ''; devices < mostSessions; ) {
    const sessions = await now.state.sessionsAfter(after, perTurn);
    for (const session of sessions) {
      const context = await contextOf({ ...now, random }, session);
      if (context) noteNew(commands, context, { ...context, network: { ...then, random } });
      if (isSilent(session, then.settings, at) && !isSilent(session, now.settings, at)) endingSessions += 1;
    }
    devices += sessions.length;
    after = sessions.at(-1)?.devEUI ?? after;
    if (sessions.length < perTurn) return found(false);
    await setImmediate();
  }
  return found(true);
}

function noteNew(commands: Map<MacCommandName, CommandEffect>, now: DeviceContext, then: DeviceContext): void {
  const { session, network } = then;
  if (network.settings.disableMACCommands) return;
  const before = new Set(owed(now).map(wording));
  for (const block of owed(then)) {
    const [first] = block;
    if (!first || before.has(wording(block))) continue;
    const effect = commands.get(first.name) ?? { name: first.name, devices: 0, refusing: 0 };
    effect.devices += 1;
    if ((session.macErrors[first.cid] ?? 0) > network.settings.maxMACCommandErrorCount) effect.refusing += 1;
    commands.set(first.name, effect);
  }
}

function owed(context: DeviceContext): KnownMacCommand[][] {
  if (context.network.settings.disableMACCommands) return [];
  return wishes.map((wish) => wish(context));
}

const wording = (block: KnownMacCommand[]) => encodeMacCommands('down', block).toHex();
const unread = new Uint8Array();
const noKeys = { fNwkSIntKey: unread, sNwkSIntKey: unread, nwkSEncKey: unread, appSKey: null };

async function contextOf(network: Network, read: Omit<DeviceSession, 'keys'>): Promise<DeviceContext | null> {
  const device = await network.state.get('device', read.devEUI);
  const deviceProfile = device && (await network.state.get('deviceProfile', device.deviceProfileID));
  const serviceProfile = device && (await network.state.get('serviceProfile', device.serviceProfileID));
  if (!deviceProfile || !serviceProfile) return null;
  return { network, session: { ...read, keys: noKeys }, deviceProfile, serviceProfile };
}
