import type { Case, Outcome } from '../case.ts';
import { createBaseRecords, numbered } from '../driver/base-records.ts';
import { deviceOf } from '../driver/fleet.ts';
import { measureLoad, rateOf } from '../driver/measured-load.ts';
import { startServer } from '../driver/server.ts';

/** Searches, filters and counts with many devices, as users ask for them in the search box and above a list. */
export const search: Case = async (bench) => {
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  const devices = bench.quick ? 10_000 : 100_000;
  // Random identifiers, as in the field; each run uses the same ones.
  const euiOf = (index: number) => numbered('70b3d5', (index * 2_654_435_761) % 2 ** 32, 16);
  bench.say(`creating ${devices} devices`);
  const created = await measureLoad(server, {
    turns: devices,
    callsOf: (turn) => {
      const device = {
        ...deviceOf(euiOf(turn), ground, ground.profiles.joining),
        name: nameOf(turn),
        tags: tagsOf(turn),
      };
      return [{ method: 'POST', path: '/api/devices', body: { device } }];
    },
  });
  if (created.failures > 0) throw new Error(`Creating failed: ${created.firstFailure}`);
  const texts: Record<string, (turn: number) => string> = {
    'a whole name': (turn) => nameOf((turn * 7919) % devices),
    'the number of a name': (turn) => nameOf((turn * 7919) % devices).slice(-6),
    'a DevEUI': (turn) => euiOf((turn * 7919) % devices),
    'part of a DevEUI': (turn) => euiOf((turn * 7919) % devices).slice(9, 15),
    'what there is not': (turn) => `nowhere ${turn}`,
    'a word of very many': (turn) => words[turn % words.length]!,
  };
  const measured: Record<string, unknown> = { devices };
  const rows: Outcome['rows'] = [];
  for (const [what, textOf] of Object.entries(texts)) {
    const result = await measureLoad(server, {
      seconds: bench.quick ? 2 : 4,
      callsOf: (turn) => [
        { method: 'GET', path: `/api/internal/search?limit=10&search=${encodeURIComponent(textOf(turn))}` },
      ],
    });
    if (result.failures > 0) throw new Error(`Searching failed: ${result.firstFailure}`);
    bench.say(`${what}: ${rateOf(result)}`);
    measured[what] = result;
    rows.push({
      work: `search for ${what} among ${devices.toLocaleString('en')}`,
      before: '-',
      target: '2,000/s, p99 30 ms',
      ours: rateOf(result),
    });
  }
  for (const { what, target, pathOf } of listCalls(ground.organizationID)) {
    const load = { seconds: bench.quick ? 2 : 4, connections: 1 };
    const result = await measureLoad(server, {
      ...load,
      callsOf: (turn) => [{ method: 'GET', path: `/api/${pathOf(turn)}` }],
    });
    if (result.failures > 0) throw new Error(`${what} failed: ${result.firstFailure}`);
    bench.say(`${what}: ${rateOf(result)}`);
    measured[what] = result;
    rows.push({ work: `${what} of ${devices.toLocaleString('en')}`, before: '-', target, ours: rateOf(result) });
  }
  return { rows, measured };
};

/** One call at a time. Each has another value, so that no number is known from the call before. */
function listCalls(organizationID: string) {
  const site = (turn: number) => `filter=tag.site:is:${words[turn % words.length]!}`;
  const list = `devices?limit=10&organizationID=${organizationID}&include=state`;
  const counts = `device-counts?organizationID=${organizationID}`;
  return [
    { what: 'device list of an organization', target: 'p99 10 ms', pathOf: () => list },
    {
      what: 'the same with two filters, few match',
      target: 'p99 50 ms',
      pathOf: (turn: number) => `${list}&${site(turn)}&filter=tag.floor:is:${turn % floors}`,
    },
    {
      what: 'the same with two filters, many match',
      target: 'p99 50 ms',
      pathOf: (turn: number) => `${list}&filter=state:not:active&filter=tag.floor:not:${turn % floors}`,
    },
    { what: 'counts by state', target: 'p99 100 ms', pathOf: () => counts },
    {
      what: 'counts by state with a filter',
      target: 'p99 100 ms',
      pathOf: (turn: number) => `${counts}&${site(turn)}&filter=tag.floor:not:${turn % floors}`,
    },
  ];
}

const floors = 100;
const tagsOf = (index: number) => ({ site: words[index % words.length]!, floor: String((index * 31) % floors) });

const words = ['barn', 'field', 'tank', 'valve', 'pump', 'roof', 'meter', 'door', 'north', 'south', 'slope', 'stable'];

function nameOf(index: number): string {
  const [first, second] = [words[index % 12]!, words[Math.floor(index / 12) % 12]!];
  return `${first}-${second}-${String(index).padStart(6, '0')}`;
}
