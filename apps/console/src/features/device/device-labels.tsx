import type { Device } from '@hilltop/contract';
import { labelText } from '@hilltop/lorawan/tr005';
import { Button, Text } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Fragment } from 'react';
import { query } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { useApplicationCrumbs } from '../../components/page-header/use-application-crumbs.ts';
import { QRCode } from '../../components/qr-code/qr-code.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { FormSkeleton } from '../../components/states/form-skeleton.tsx';
import classes from './device-labels.module.css';
import { deviceOf } from './use-device.ts';

/** Each label needs a request. */
const mostLabels = 50;

/** Labels of the devices in the URL, to print: a TR005 code, the name and the EUI. */
export function DeviceLabels() {
  const { applicationID } = useIDs();
  const { devices: wanted = '' }: { devices?: string } = useSearch({ strict: false });
  const devEUIs = String(wanted).match(/\b[0-9a-f]{16}\b/gi) ?? [];
  const crumbs = useApplicationCrumbs();
  const devices = useQueries({ queries: devEUIs.slice(0, mostLabels).map(deviceOf) });
  const profiles = useQuery(
    query('deviceProfile', 'list', { applicationID, limit: 999, offset: 0, include: 'details' }),
  );
  const found = devices.flatMap(({ data }) => (data ? [data.device] : []));
  const isPending = profiles.isPending || devices.some((each) => each.isPending);
  const missing = devEUIs.length - found.length;
  return (
    <>
      <PageHeader
        crumbs={crumbs}
        title="Device labels"
        actions={
          <Button
            leftSection={<IconPrinter size={16} aria-hidden />}
            disabled={isPending || found.length === 0}
            onClick={() => globalThis.print()}
          >
            Print
          </Button>
        }
      />
      {isPending && <FormSkeleton />}
      {!isPending && missing > 0 && found.length > 0 && (
        <Text c="dimmed" mb="md" role="status">
          {missing === 1 ? '1 label is' : `${missing} labels are`} missing: at most {mostLabels} are shown, and only of
          devices that you may read.
        </Text>
      )}
      {!isPending && found.some(({ tags }) => hexOf(tags.joinEUI, 16) === undefined) && (
        <Text c="dimmed" mb="md" className={classes.remark ?? ''}>
          Codes of devices without the tag joinEUI have zeros as the JoinEUI.
        </Text>
      )}
      {!isPending && found.length === 0 && (
        <EmptyState title="No labels">
          Select devices in the list of their application, then print their labels.
        </EmptyState>
      )}
      {!isPending && (
        <ul className={classes.labels} aria-label="Labels">
          {found.map((device) => (
            <Label
              key={device.devEUI}
              device={device}
              profile={profiles.data?.result.find(({ id }) => id === device.deviceProfileID)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

interface LabelProps {
  device: Device;
  /** Its tags name the vendor. */
  profile: { vendorID?: string; profileID?: string } | undefined;
}

function Label({ device: { devEUI, name, tags }, profile }: LabelProps) {
  const joinEUI = hexOf(tags.joinEUI, 16);
  const vendorID = hexOf(profile?.vendorID, 4);
  const profileID = hexOf(profile?.profileID, 4);
  const text = labelText({
    devEUI,
    ...(joinEUI !== undefined && { joinEUI }),
    ...(vendorID !== undefined && profileID !== undefined && { vendorID, profileID }),
  });
  return (
    <li className={classes.label}>
      <QRCode text={text} label={`Code of ${name}`} />
      <div className={classes.words}>
        <strong>{name}</strong>
        <span className="identifier">{devEUI}</span>
        <span className={classes.code}>
          {text.split(/(?<=:)/).map((part, at) => (
            <Fragment key={at}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </span>
      </div>
    </li>
  );
}

/** A tag may hold any text. */
const hexOf = (text: string | undefined, digits: number) =>
  text !== undefined && text.length === digits && /^[0-9a-f]+$/i.test(text) ? text : undefined;
