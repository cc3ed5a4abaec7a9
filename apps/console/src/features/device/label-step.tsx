import type { AddDeviceRequest, GlobalSearchResult } from '@hilltop/contract';
import { type DeviceLabel, looksReversed, reversedHex } from '@hilltop/lorawan/tr005';
import { Alert, Button, Group, Paper, Radio, Stack, Text } from '@mantine/core';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { query } from '../../api/queries.ts';
import { Facts } from '../../components/facts/facts.tsx';
import type { MessageFormState } from '../../components/form/use-message-form.ts';
import { HexField } from '../../components/hex-input/hex-field.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { ScanBox } from '../../components/scan/scan-box.tsx';
import { paths } from '../../paths.ts';
import { joinEUIOf, labelOf, labelProblem } from './add-device-values.ts';
import classes from './device.module.css';
import { LatelyReceived } from './lately-received.tsx';

interface Props {
  form: MessageFormState<AddDeviceRequest>;
  text: string;
  onText: (text: string) => void;
  label: DeviceLabel | undefined;
}

/** Whether a mouse is used: on a phone the keyboard would cover the page. */
const hasMouse = () => globalThis.matchMedia?.('(pointer: fine)').matches ?? false;

/** The label of the device: scanned, photographed, typed or pasted. The EUI can be corrected. */
export function LabelStep({ form, text, onText, label }: Props) {
  const { devEUI } = form.values;
  const result = useRef<HTMLDivElement>(null);
  const isRead = label !== undefined;
  useEffect(() => {
    if (isRead) result.current?.scrollIntoView({ block: 'nearest' });
  }, [isRead]);
  const existing = useExisting(devEUI);
  const take = (next: string) => {
    onText(next);
    const read = labelOf(next);
    if (read?.devEUI !== undefined) form.set('devEUI', read.devEUI);
    if (read?.key !== undefined) form.set('nwkKey', read.key);
  };
  return (
    <>
      <ScanBox value={text} onChange={take} error={labelProblem(text)} isFocused={hasMouse()} />
      <LatelyReceived chosen={devEUI.toLowerCase()} onChoose={(eui) => form.set('devEUI', eui)} />
      <Stack gap="md" ref={result} className={classes.result ?? ''}>
        {label && <LabelFacts label={label} devEUI={devEUI} onChoose={(eui) => form.set('devEUI', eui)} />}
        <Stack gap="xs">
          <HexField name="devEUI" bytes={8} random validate={() => (existing ? existingMessage : null)} />
          {existing ? (
            <ExistingDevice device={existing} />
          ) : (
            looksReversed(devEUI) &&
            devEUI.length === 16 && (
              <Alert color="yellow" role="status" p="xs">
                <Group justify="space-between" gap="xs">
                  <Text size="sm">
                    This EUI looks reversed: it ends with the prefix of a maker, not begins with it.
                  </Text>
                  <Button size="compact-sm" variant="default" onClick={() => form.set('devEUI', reversedHex(devEUI))}>
                    Reverse its bytes
                  </Button>
                </Group>
              </Alert>
            )
          )}
        </Stack>
      </Stack>
    </>
  );
}

const searchFor = (eui: string) => ({
  ...query('internal', 'globalSearch', { search: eui, limit: 10, offset: 0 }),
  staleTime: 0,
});
const withEUI = (found: readonly GlobalSearchResult[] | undefined, eui: string) =>
  found?.find(({ deviceDevEUI }) => deviceDevEUI === eui);

/** The device that has this EUI already, as far as the user may read it. */
function useExisting(devEUI: string) {
  const eui = devEUI.toLowerCase();
  const found = useQuery({ ...searchFor(eui), enabled: /^[0-9a-f]{16}$/.test(eui) });
  return withEUI(found.data?.result, eui);
}

export const existingMessage = 'Another device has this EUI already.';

/** The same at once, for a hand scanner that sends Enter before the answer is shown. */
export async function isExisting(client: QueryClient, devEUI: string): Promise<boolean> {
  const eui = devEUI.toLowerCase();
  // Without an answer the form goes on: the server refuses the device in the last step.
  const found = await client.fetchQuery(searchFor(eui)).catch(() => undefined);
  return withEUI(found?.result, eui) !== undefined;
}

function ExistingDevice({ device }: { device: GlobalSearchResult }) {
  const { organizationID, applicationID, deviceDevEUI, deviceName } = device;
  return (
    <Alert color="red" role="status" p="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">Device {deviceName} has this EUI already.</Text>
        <LinkButton
          size="compact-sm"
          variant="default"
          // There is nothing to keep: this device cannot be added again.
          ignoreBlocker
          to={paths.device.one(organizationID, applicationID, deviceDevEUI)}
        >
          Open the device
        </LinkButton>
      </Group>
    </Alert>
  );
}

interface FactsProps {
  label: DeviceLabel;
  devEUI: string;
  onChoose: (eui: string) => void;
}

/** What the label says. The owner token is shown and not stored. */
function LabelFacts({ label, devEUI, onChoose }: FactsProps) {
  const joinEUI = joinEUIOf(label, devEUI);
  const facts = [
    ['JoinEUI', joinEUI],
    ['Vendor and profile', label.vendorID && `${label.vendorID} ${label.profileID}`],
    ['Serial number', label.serialNumber],
    ['Owner token (not stored)', label.ownerToken],
    ['Key', label.key && 'found, see "Name and key"'],
  ].filter((fact): fact is [string, string] => Boolean(fact[1]));
  return (
    <Paper component="section" aria-label="Read from the label" aria-live="polite" p="sm">
      {label.isDamaged && (
        <Alert color="yellow" p="xs" mb="xs">
          The checksum of this code is wrong. Compare the device EUI with the label.
        </Alert>
      )}
      {label.devEUI === undefined && label.euis.length > 0 && (
        <Radio.Group
          label="Which one is the device EUI?"
          value={label.euis.includes(devEUI) ? devEUI : null}
          onChange={onChoose}
          mb="xs"
        >
          <Stack gap={4} mt={4}>
            {label.euis.map((eui) => (
              <Radio key={eui} value={eui} label={<span className="identifier">{eui}</span>} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {facts.length > 0 ? (
        <Facts facts={facts} />
      ) : (
        label.devEUI !== undefined && <Text size="sm">The label has a device EUI and nothing else.</Text>
      )}
    </Paper>
  );
}
