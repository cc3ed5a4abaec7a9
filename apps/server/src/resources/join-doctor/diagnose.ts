import {
  type JoinCheck,
  type JoinCheckName,
  type JoinFindingName,
  type JoinRequestItem,
  joinFindings,
  joinFindingText,
} from '@hilltop/contract';
import type { LoggedJoin } from '../../network/join-log.ts';
import { type JoinFacts, reversedHex } from './facts.ts';

export interface JoinDiagnosis {
  verdict: 'JOINED' | 'PROBLEM' | 'WAITING' | 'UNKNOWN';
  checks: JoinCheck[];
}

type CheckState = JoinCheck['state'];

/** What one check found: a state alone, or a finding with its parameters. */
interface CheckResult {
  state: CheckState;
  finding?: JoinFindingName;
  parameters?: Record<string, string>;
  /** False: this caller may not do what the finding asks for. */
  hasFix?: boolean;
}

const ok: CheckResult = { state: 'OK' };
const waiting: CheckResult = { state: 'WAITING' };
const unknown: CheckResult = { state: 'UNKNOWN' };

const problem = (finding: JoinFindingName, parameters: Record<string, string> = {}): CheckResult => ({
  state: 'PROBLEM',
  finding,
  parameters,
});

/** A new device may not be switched on yet; a join-accept is sent 5 or 6 s after the request. */
const patienceMs = 600_000;
const sentAfterMs = 10_000;
const firstUplinkAfterMs = 300_000;

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** Finds out what keeps a device from joining. The first problem is the one to solve. */
export function diagnose(facts: JoinFacts, now: number): JoinDiagnosis {
  const [last] = facts.joins;
  const hasJoined = isJoined(facts);
  const results: Record<JoinCheckName, CheckResult> = {
    REGION: regionCheck(facts, last),
    ENABLED: facts.isDisabled ? problem('DISABLED') : ok,
    PROFILE: facts.supportsJoin === undefined ? unknown : facts.supportsJoin ? ok : problem('ABP_PROFILE'),
    KEYS: keysCheck(facts, last),
    EUI: euiCheck(facts, last),
    RECEIVED: receivedCheck(facts, last, now),
    GATEWAYS: last?.outcome === 'PRIVATE_GATEWAYS' ? problem('PRIVATE_GATEWAYS') : last ? ok : waiting,
    SIGNATURE: signatureCheck(facts, last),
    DEV_NONCE: devNonceCheck(facts, last),
    SENT: sentCheck(facts, last, now),
    FIRST_UPLINK: firstUplinkCheck(facts, last, now),
  };
  if (facts.networkServer === 'REMOTE') {
    for (const name of ['GATEWAYS', 'SIGNATURE', 'DEV_NONCE', 'SENT', 'FIRST_UPLINK'] as const) results[name] = unknown;
  }
  const checks = Object.entries(results).map(([name, result]) => toCheck(name as JoinCheckName, result));
  const states = checks.map(({ state }) => state);
  if (hasJoined) return { verdict: 'JOINED', checks };
  if (states.includes('PROBLEM')) return { verdict: 'PROBLEM', checks };
  return { verdict: facts.networkServer === 'REMOTE' ? 'UNKNOWN' : 'WAITING', checks };
}

/** It has sent an uplink since its last join-request. */
function isJoined({ lastSeenAt, wasActivated, joins: [last], lastError }: JoinFacts): boolean {
  if (lastSeenAt === null || !wasActivated) return false;
  return lastSeenAt >= (last?.at ?? lastError?.at ?? 0);
}

function toCheck(check: JoinCheckName, { state, finding, parameters = {}, hasFix = true }: CheckResult): JoinCheck {
  return {
    check,
    state,
    finding: finding ?? '',
    parameters,
    text: finding ? joinFindingText(finding, parameters) : '',
    fix: finding && hasFix ? joinFindings[finding].fix : 'NONE',
  };
}

function regionCheck({ networkServer, region }: JoinFacts, last: LoggedJoin | undefined): CheckResult {
  if (networkServer === 'NOT_RUNNING') return problem('NOT_RUNNING', { region });
  if (networkServer === 'REMOTE') return { state: 'UNKNOWN', finding: 'REMOTE' };
  return last?.outcome === 'UNKNOWN_CHANNEL' ? problem('UNKNOWN_CHANNEL', { region }) : ok;
}

function keysCheck({ hasKeys, hasJoinServers }: JoinFacts, last: LoggedJoin | undefined): CheckResult {
  if (last?.outcome === 'UNKNOWN_TO_JOIN_SERVER') return problem('UNKNOWN_TO_JOIN_SERVER');
  if (last?.outcome === 'JOIN_SERVER') return problem('JOIN_SERVER_FAILED');
  if (hasKeys || last?.outcome === 'ACCEPTED') return ok;
  if (hasJoinServers && last?.outcome !== 'NO_ROOT_KEYS') return { state: 'UNKNOWN', finding: 'KEYS_ELSEWHERE' };
  return problem('NO_KEYS');
}

function euiCheck({ devEUI, lookalikes, lastSeenAt }: JoinFacts, last: LoggedJoin | undefined): CheckResult {
  if (last || lastSeenAt !== null) return ok;
  const reversed = reversedHex(devEUI);
  for (const { dev_eui: eui, join_eui: joinEUI, last_at: at } of lookalikes) {
    if (eui === reversed && eui !== devEUI) return problem('EUI_REVERSED', { eui, at: isoOf(at) });
    if (joinEUI === devEUI || joinEUI === reversed) return problem('EUI_EXCHANGED', { eui, at: isoOf(at) });
  }
  return unknown;
}

function receivedCheck(facts: JoinFacts, last: LoggedJoin | undefined, now: number): CheckResult {
  const { devEUI, createdAt, formerSession, lastError, networkServer, region } = facts;
  if (formerSession && formerSession.at > Math.max(last?.at ?? 0, facts.lastSeenAt ?? 0))
    return problem('FORMER_SESSION', { devAddr: formerSession.devAddr, at: isoOf(formerSession.at) });
  if (networkServer === 'REMOTE')
    return lastError ? problem('REMOTE_ERROR', { error: lastError.text, at: isoOf(lastError.at) }) : unknown;
  if (last || isJoined(facts)) return ok;
  const since = facts.lastSeenAt ?? createdAt;
  return {
    ...problem('NOT_RECEIVED', { region, devEUI, since: isoOf(since) }),
    state: now - createdAt < patienceMs ? 'WAITING' : 'PROBLEM',
  };
}

function signatureCheck({ keyFit, maySeeKeys }: JoinFacts, last: LoggedJoin | undefined): CheckResult {
  if (last?.outcome === 'ACCEPTED' || last?.outcome === 'DEV_NONCE_USED') return ok;
  if (!keyFit) return waiting;
  if (keyFit.fit === 'STORED') return { state: 'WAITING', finding: 'KEY_CORRECTED' };
  if (!maySeeKeys) return { ...problem('KEY_WRONG'), hasFix: false };
  switch (keyFit.fit) {
    case 'REVERSED':
      return problem('KEY_REVERSED');
    case 'EXCHANGED':
      return problem('KEYS_EXCHANGED');
    case 'ZEROS':
      return problem('KEY_OF_ZEROS');
    case 'OTHER':
      return problem('KEY_OF_OTHER', { name: keyFit.name, other: keyFit.devEUI });
    default:
      return problem('KEY_WRONG');
  }
}

function devNonceCheck({ hasDevNonces }: JoinFacts, last: LoggedJoin | undefined): CheckResult {
  if (last?.outcome === 'ACCEPTED') return ok;
  if (last?.outcome !== 'DEV_NONCE_USED' || !hasDevNonces) return waiting;
  return problem('DEV_NONCE_USED', { devNonce: String(last.devNonce) });
}

const wasSent = ({ answers }: LoggedJoin) => answers.some(({ status }) => status === 'OK');

function sentCheck(facts: JoinFacts, last: LoggedJoin | undefined, now: number): CheckResult {
  if (isJoined(facts)) return ok;
  if (last?.outcome !== 'ACCEPTED') return waiting;
  if (wasSent(last)) return ok;
  const refusal = last.answers.at(-1);
  if (!refusal) return now - last.at < sentAfterMs ? waiting : problem('NOT_SENT');
  const accepted = facts.joins.filter(({ outcome }) => outcome === 'ACCEPTED');
  const refused = accepted.filter((join) => join.answers.length > 0 && !wasSent(join));
  const { gatewayID, status } = refusal;
  const name = facts.gatewayNames.get(gatewayID);
  const counts = { refused: String(refused.length), accepted: String(accepted.length) };
  return {
    ...problem('GATEWAY_REFUSED', { name: name ?? 'of another organization', status, ...counts }),
    ...(name === undefined ? { hasFix: false } : {}),
    ...(name !== undefined && { parameters: { name, status, ...counts, gatewayID } }),
  };
}

function firstUplinkCheck(facts: JoinFacts, last: LoggedJoin | undefined, now: number): CheckResult {
  if (isJoined(facts)) return ok;
  if (last?.outcome !== 'ACCEPTED' || !wasSent(last)) return waiting;
  const since = facts.lastSeenAt ?? 0;
  const accepted = facts.joins.filter((join) => join.at > since && join.outcome === 'ACCEPTED' && wasSent(join));
  if (accepted.length < 2 && now - last.at < firstUplinkAfterMs) return waiting;
  const rssi = String(Math.max(...last.receptions.map((one) => one.rssi)));
  return problem('DID_NOT_GO_ON', { accepted: String(accepted.length), rssi });
}

/** Receptions by gateways of other organizations are left out. */
export const toRequestItem = (
  { at, joinEUI, devNonce, outcome, receptions, answers }: LoggedJoin,
  names: ReadonlyMap<string, string>,
): JoinRequestItem => ({
  at: isoOf(at),
  joinEUI,
  devNonce,
  outcome,
  gateways: receptions.flatMap(({ gatewayID, rssi, snr }) => {
    const name = names.get(gatewayID);
    return name === undefined ? [] : [{ gatewayID, name, rssi, snr }];
  }),
  answers: answers.map(({ status }) => status),
});
