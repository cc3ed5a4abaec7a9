import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { NetworkPlan, Random } from '@hilltop/simulator';

interface Outage {
  gatewayID: string;
  startMs: number;
  endMs: number;
  reason: string;
}

const minuteMs = 60_000;
const knownDays = 24;
const reasons = ['no PULL_DATA for 90 s', 'websocket closed (1006)', 'MQTT last will'];

/** Made-up outages of every third gateway, most of them short. */
export function outagesOf({ gateways }: NetworkPlan, nowMs: number, random: Random): Outage[] {
  return gateways
    .filter((_, index) => index % 3 === 0)
    .flatMap(({ gatewayID }, nth) => {
      const reason = reasons[nth % reasons.length]!;
      const count = 1 + Math.floor(random() * 7);
      const dayMs = 24 * 60 * minuteMs;
      const spacing = ((knownDays - 1) * dayMs) / count;
      return Array.from({ length: count }, (_, index) => {
        const startMs = nowMs - knownDays * dayMs + (index + 0.2 + 0.5 * random()) * spacing;
        const lengthMs = (2 + 60 * random() ** 3 * (random() < 0.2 ? 20 : 1)) * minuteMs;
        return { gatewayID, startMs, endMs: Math.min(startMs + lengthMs, nowMs - minuteMs), reason };
      });
    });
}

/** Writes them to the embedded database while the server runs. */
export function writeOutages(data: string, outages: readonly Outage[], nowMs: number): void {
  const database = new DatabaseSync(join(data, 'hilltop.db'), { timeout: 10_000 });
  const text = (ms: number) => new Date(ms).toISOString();
  try {
    const insert = database.prepare('insert into gateway_outage values (?, ?, ?, ?)');
    database.exec('begin immediate');
    database.prepare('update gateway set outages_from = ?').run(text(nowMs - knownDays * 24 * 60 * minuteMs));
    for (const { gatewayID, startMs, endMs, reason } of outages)
      insert.run(gatewayID, text(startMs), text(endMs), reason);
    database.exec('commit');
  } finally {
    database.close();
  }
}
