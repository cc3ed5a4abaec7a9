import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { parseTemplate } from '../integrations/topic-template.ts';
import { createMessages } from './messages.ts';

const eventAt = (pos: number): LoggedEvent => ({
  id: `0102030405060708-${pos}`,
  pos,
  type: 'up',
  devEUI: '0102030405060708',
  applicationID: 1,
  at: new Date(0),
  json: '{}',
});

it('converts an event once for all its readers, and holds no messages of older events', async () => {
  let conversions = 0;
  const template = parseTemplate('{{ .DevEUI }}/{{ .EventType }}', ['DevEUI', 'EventType']);
  const messageOf = createMessages(template, async () => `${(conversions += 1)}`);
  const packetOf = async (event: LoggedEvent) => (await messageOf(event).packet()).payload.toString();
  const events = Array.from({ length: 2_000 }, (_, pos) => eventAt(pos));

  for (const event of events) assert.equal(await packetOf(event), await packetOf(event));
  assert.equal(conversions, events.length);
  await packetOf(events.at(-500)!);
  assert.equal(conversions, events.length);
  await packetOf(events[0]!);
  assert.equal(conversions, events.length + 1);
});
