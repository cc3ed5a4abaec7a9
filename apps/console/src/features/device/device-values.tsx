import { Alert, Button, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { IconDownload, IconZoomOut } from '@tabler/icons-react';
import { useMemo } from 'react';
import { prefetch } from '../../api/prefetch.ts';
import { downloadText } from '../../components/download/download.ts';
import { AppLink } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { TimeField } from '../../components/live-log/log-filters.tsx';
import { useCrosshair } from '../../components/series-chart/crosshair.ts';
import { SeriesChart } from '../../components/series-chart/series-chart.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { ErrorState } from '../../components/states/states.tsx';
import { namesOfFields } from '../../components/values/values.ts';
import { paths } from '../../paths.ts';
import { CompareWith } from './compare-with.tsx';
import classes from './device-values.module.css';
import { useDevice, useProfileOf } from './use-device.ts';
import { fieldsOf, useDeviceValues } from './use-device-values.ts';
import { useValuesAddress, type ValueRange, valueRanges } from './values-address.ts';
import { csvOfCharts } from './values-file.ts';
import { ValuesNow } from './values-now.tsx';

const ranges = Object.entries(valueRanges).map(([value, { label }]) => ({ value, label }));
const fromTo = 'between';
const mostChosen = 16;

/** The values of the device of the page: the last ones in large type, and charts of all of them. */
export function DeviceValues() {
  const { devEUI } = useIDs();
  return (
    <div className={classes.page}>
      <ValuesNow devEUI={devEUI} />
      <ValueCharts key={devEUI} devEUI={devEUI} />
    </div>
  );
}

DeviceValues.ask = ({ devEUI }: IDs) => prefetch(fieldsOf(devEUI));

function ValueCharts({ devEUI }: { devEUI: string }) {
  const { organizationID, applicationID } = useIDs();
  const address = useValuesAddress();
  const crosshair = useCrosshair();
  const name = useDevice().data?.device.name ?? devEUI;
  const { fields, values, decoded, drawn, charts, others } = useDeviceValues(devEUI, name, address);
  const { between, range } = address;
  const decodedNames = useMemo(() => decoded.map(({ field }) => field), [decoded]);
  const chooseBetween = () => address.zoom(Date.now() - valueRanges[range].ms, Date.now());
  const save = () => downloadText(`device-${devEUI}-values.csv`, csvOfCharts(charts), 'text/csv');
  return (
    <>
      <div className={classes.bar}>
        <SegmentedControl
          aria-label="Time range"
          value={between ? fromTo : range}
          onChange={(next) => (next === fromTo ? chooseBetween() : address.chooseRange(next as ValueRange))}
          data={[...ranges, { value: fromTo, label: 'From – to' }]}
        />
        <CompareWith
          {...{ organizationID, applicationID, devEUI }}
          compared={others}
          onChange={(devEUIs) => address.compare(devEUIs)}
        />
        <Button variant="default" leftSection={<IconDownload size={16} />} disabled={!values.data} onClick={save}>
          CSV
        </Button>
      </div>
      <BetweenBar address={address} />
      <Loaded query={fields} skeleton={<ChartSkeletons />}>
        {({ result, omitted, omittedField }) => (
          <>
            <FieldChoice fields={decodedNames} drawn={drawn} onChoose={address.chooseFields} />
            <NoDecoded hasDecoded={decoded.length > 0} hasValues={result.length > 0} />
            {omitted > 0 && (
              <Text c="dimmed">
                This device sends more values than are stored over time: {omittedField} and others are left out.
              </Text>
            )}
            {values.error && <ErrorState error={values.error} retry={() => void values.refetch()} />}
            {values.data?.isComplete === false && (
              <Alert color="yellow">Too many events have arrived lately. The newest values are incomplete.</Alert>
            )}
            <div className={classes.charts} data-old={values.isPlaceholderData || undefined}>
              {charts.map(({ key, title, quantity, data }) => (
                <SeriesChart
                  key={key}
                  {...{ title, quantity, data, crosshair }}
                  onZoom={address.zoom}
                  onReset={address.leaveZoom}
                />
              ))}
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

function ChartSkeletons() {
  return (
    <div className={classes.charts}>
      {[1, 2, 3].map((nth) => (
        <Skeleton key={nth} height={214} />
      ))}
    </div>
  );
}

/** The times from and to, and the way back to the last hours or days. */
function BetweenBar({
  address: { between, range, leaveZoom, zoom },
}: {
  address: ReturnType<typeof useValuesAddress>;
}) {
  if (!between) return null;
  const [from, to] = [new Date(between.from).toISOString(), new Date(between.to).toISOString()];
  const change = (next: { from: string; to: string }) => zoom(Date.parse(next.from), Date.parse(next.to));
  return (
    <div className={classes.bar}>
      <TimeField label="From" value={from} onChange={(at) => change({ from: at, to })} />
      <TimeField label="To" value={to} onChange={(at) => change({ from, to: at })} />
      <Button variant="default" size="xs" leftSection={<IconZoomOut size={16} />} onClick={leaveZoom}>
        Back to {valueRanges[range].label}
      </Button>
    </div>
  );
}

interface FieldChoiceProps {
  fields: readonly string[];
  drawn: readonly string[];
  onChoose: (fields: readonly string[]) => void;
}

/** Which decoded fields have a chart, when some have none. */
function FieldChoice({ fields, drawn, onChoose }: FieldChoiceProps) {
  const names = useMemo(() => namesOfFields(fields), [fields]);
  if (fields.length < 2) return null;
  return (
    <div className={classes.fields} role="group" aria-label="Shown fields">
      <Text c="dimmed">Shown fields</Text>
      {fields.map((field) => {
        const isDrawn = drawn.includes(field);
        return (
          <Button
            key={field}
            size="xs"
            radius="xl"
            variant={isDrawn ? 'light' : 'subtle'}
            {...(!isDrawn && { color: 'gray' })}
            aria-pressed={isDrawn}
            disabled={isDrawn ? drawn.length === 1 : drawn.length >= mostChosen}
            onClick={() => onChoose(isDrawn ? drawn.filter((one) => one !== field) : [...drawn, field])}
          >
            {names.get(field)}
          </Button>
        );
      })}
    </div>
  );
}

/** Why there are no decoded values. */
function NoDecoded({ hasDecoded, hasValues }: { hasDecoded: boolean; hasValues: boolean }) {
  const { organizationID } = useIDs();
  const profileID = useDevice().data?.device.deviceProfileID;
  const profile = useProfileOf(profileID).data?.deviceProfile;
  if (hasDecoded || !profile) return null;
  if (profile.payloadCodec === '')
    return (
      <Text c="dimmed">
        This device-profile has no codec, so there are no decoded values.{' '}
        <AppLink to={paths.deviceProfile.one(organizationID, profile.id)}>Choose a codec</AppLink>
      </Text>
    );
  return (
    <Text c="dimmed">
      {hasValues ? 'No decoded numbers yet.' : 'No values yet. They appear after the first uplink.'}
    </Text>
  );
}
