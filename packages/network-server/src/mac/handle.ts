import { decodeMacCommands, FrameError, type KnownMacCommand, type MacCommand } from '@hilltop/lorawan';
import { macRules } from './registry.ts';
import type { MacReaction, ReceivedContext } from './rule.ts';

export interface MacOutcome {
  answers: MacCommand[];
  mustSend: boolean;
  statuses: NonNullable<MacReaction['status']>[];
}

/** Reacts to the commands of one uplink, block by block; changes the session of the context. */
export function handleMacCommands(commands: readonly MacCommand[], context: ReceivedContext): MacOutcome {
  const outcome: MacOutcome = { answers: [], mustSend: false, statuses: [] };
  for (const block of blocksOf(commands)) {
    const { answers = [], mustSend = false, status } = handleBlock(block, context);
    outcome.answers.push(...answers);
    outcome.mustSend ||= mustSend;
    if (status) outcome.statuses.push(status);
  }
  return outcome;
}

function handleBlock(block: KnownMacCommand[], context: ReceivedContext): MacReaction {
  const [first] = block;
  if (!first) return {};
  const { pendingRequests } = context.session;
  const pending = pendingRequests[first.cid];
  delete pendingRequests[first.cid];
  const rule = macRules.get(first.name);
  if (!rule) return {};
  const requests = rule.answers && pending ? requestsOf(pending) : [];
  if (rule.answers && requests.length === 0) context.network.count('mac_answers_unasked', { name: first.name });
  try {
    return rule.handle(block, context, requests);
  } catch (error) {
    // A command that cannot be answered does not affect the other commands of the frame.
    context.network.count('mac_commands_failed', { name: first.name });
    context.network.log.error({ err: error, name: first.name }, 'A MAC command could not be handled.');
    return {};
  }
}

/** The commands of a pending request. */
export function requestsOf(pending: string): KnownMacCommand[] {
  try {
    return decodeMacCommands('down', Uint8Array.fromHex(pending)).filter(isKnown);
  } catch (error) {
    if (error instanceof FrameError) return [];
    throw error;
  }
}

/** All consecutive commands with one CID; vendor commands are ignored. */
function blocksOf(commands: readonly MacCommand[]): KnownMacCommand[][] {
  const blocks: KnownMacCommand[][] = [];
  for (const command of commands.filter(isKnown)) {
    const last = blocks.at(-1);
    if (last?.[0]?.cid === command.cid) last.push(command);
    else blocks.push([command]);
  }
  return blocks;
}

function isKnown(command: MacCommand): command is KnownMacCommand {
  return command.name !== 'Proprietary' && command.name !== 'Unknown';
}
