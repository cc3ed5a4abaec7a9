import type { GatewayListener } from '@hilltop/contract';
import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { GatewayGuide } from './gateway-guide.tsx';

const gatewayID = 'b827ebfffe00ab01';
const { server, rights } = vi.hoisted(() => ({
  server: { listeners: [] as GatewayListener[], name: '', onFrame: (_frame: object) => {} },
  rights: { may: true },
}));
vi.mock('../../session/session.tsx', () => ({ useMay: () => () => rights.may }));
vi.mock('../../api/live.ts', () => ({
  useLive: (_path: string, onItem: (item: object) => void) => {
    server.onFrame = onItem;
    return { state: 'connected' };
  },
}));
vi.mock('../../api/queries.ts', () => ({
  query: (resource: string) => ({
    queryKey: [resource],
    queryFn: async () =>
      ({
        gateway: { gateway: { name: server.name, networkServerID: '1' }, lastSeenAt: null },
        connecting: { result: server.listeners },
        networkServer: { networkServer: { id: '1' }, region: 'US915' },
      })[resource],
  }),
}));

const listener = { host: '', isSecure: false, isLocal: false, needsProof: false };
beforeEach(() => {
  rights.may = true;
  server.name = 'roof';
  server.listeners = [
    { ...listener, link: 'SEMTECH_UDP', port: 1702 },
    { ...listener, link: 'BASICS_STATION', port: 3443, isSecure: true, needsProof: true },
    { ...listener, link: 'MQTT', host: 'broker.example.org', port: 8884, isSecure: true },
  ];
});

async function open(way?: string) {
  const { container } = await renderPage(<GatewayGuide gatewayID={gatewayID} />);
  await screen.findByText('US915');
  if (way) await userEvent.click(screen.getByRole('radio', { name: way }));
  return container.querySelector('pre')!.textContent;
}

it('configures a packet forwarder with one port for both directions', async () => {
  expect(JSON.parse(await open())).toEqual({
    gateway_conf: expect.objectContaining({
      gateway_ID: 'B827EBFFFE00AB01',
      server_address: location.hostname,
      serv_port_up: 1702,
      serv_port_down: 1702,
    }),
  });
  expect(screen.getByText(/global_conf\.json for US915/)).toBeTruthy();
});

it('writes an IPv6 address without brackets outside of URLs', async () => {
  server.listeners = [{ ...listener, link: 'SEMTECH_UDP', host: '[2001:db8::1]', port: 1700 }];
  expect(JSON.parse(await open()).gateway_conf.server_address).toBe('2001:db8::1');
});

it('configures a station with its port, with TLS where the server has it, and names the certificate to trust', async () => {
  expect(await open('Basics Station')).toBe(`wss://${location.hostname}:3443`);
  expect(screen.getByText(/tc\.crt and tc\.key/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Certificate' })).toBeTruthy();
});

it('configures an MQTT bridge with broker and topics, without secrets', async () => {
  const lines = (await open('MQTT bridge')).split('\n');
  expect(lines).toContain('servers=["ssl://broker.example.org:8884"]');
  expect(lines).toContain('event_topic_template="gateway/{{ .GatewayID }}/event/{{ .EventType }}"');
  expect(lines).toContain('command_topic_template="gateway/{{ .GatewayID }}/command/#"');
  expect(lines.join('\n')).not.toMatch(/password|username|-----|jwt/i);
  expect(screen.queryByRole('link', { name: 'Certificate' })).toBeNull();
});

it('escapes a hostile name, and links to devices only for users who may add them', async () => {
  server.name = '<img src=x onerror=alert(1)>{{7*7}}';
  rights.may = false;
  await open();
  expect(screen.getByText(`Registered as ${server.name}`)).toBeTruthy();
  expect(document.querySelector('img')).toBeNull();
  expect(screen.queryByRole('link', { name: 'Add a device' })).toBeNull();
});

it('folds the lines and gives the focus to the next step when the gateway connects', async () => {
  await open();
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'State of the gateway' }));
  await act(async () => server.onFrame({ uplinkFrame: { publishedAt: 'now', phyPayloadJSON: '{}' } }));
  expect(document.querySelector('pre')).toBeNull();
  const next = screen.getByRole('group', { name: 'Next step' });
  expect(document.activeElement).toBe(next);
  expect(next.textContent).toContain('The gateway is online.');
  await userEvent.click(screen.getByRole('button', { name: 'Configuration of the gateway' }));
  expect(document.querySelector('pre')).not.toBeNull();
});
