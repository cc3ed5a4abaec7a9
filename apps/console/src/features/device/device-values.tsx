import { Alert, Button, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { IconDownload, IconZoomOut } from '@tabler/icons-react';
import { prefetch } from '../../api/prefetch.ts';
import { downloadText } from '../../components/download/download.ts';
import { AppLink } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { useCrosshair } from '../../components/series-chart/crosshair.ts';
import { SeriesChart } from '../../components/series-chart/series-chart.tsx';
import { momentText } from '../../components/series-chart/series-data.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { ErrorState } from '../../components/states/states.tsx';
import { paths } from '../../paths.ts';
import { CompareWith } from './compare-with.tsx';
import classes from './device-values.module.css';
import { useDevice, useProfileOf } from './use-device.ts';
import { fieldsOf, useDeviceValues } from './use-device-values.ts';
import { useValuesAddress, type ValueRange, valueRanges } from './values-address.ts';
import { csvOfCharts } from './values-file.ts';
import { ValuesNow } from './values-now.tsx';

const ranges = Object.entries(valueRanges).map(([value, { label }]) => ({ value, label }));
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
  const save = () => downloadText(`device-${devEUI}-values.csv`, csvOfCharts(charts), 'text/csv');
  return (
    <>
      <div className={classes.bar}>
        <SegmentedControl
          aria-label="Time range"
          value={between ? '' : range}
          onChange={(next) => address.chooseRange(next as ValueRange)}
          data={ranges}
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
      <ZoomBar address={address} />
      <Loaded query={fields} skeleton={<ChartSkeletons />}>
        {({ result, omitted, omittedField }) => (
          <>
            <FieldChoice fields={decoded.map(({ field }) => field)} drawn={drawn} onChoose={address.chooseFields} />
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

/** The times of a zoom, and the way back. */
function ZoomBar({ address: { between, range, leaveZoom } }: { address: ReturnType<typeof useValuesAddress> }) {
  if (!between) return null;
  return (
    <div className={classes.bar}>
      <Text>
        {momentText(between.from)} to {momentText(between.to)}
      </Text>
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

/** Which decoded fields have a chart, when there are more than are drawn at first. */
function FieldChoice({ fields, drawn, onChoose }: FieldChoiceProps) {
  const others = fields.filter((field) => !drawn.includes(field));
  if (others.length === 0) return null;
  return (
    <div className={classes.fields} role="group" aria-label="More fields">
      <Text c="dimmed">More fields</Text>
      {others.map((field) => (
        <Button
          key={field}
          size="xs"
          radius="xl"
          variant="subtle"
          color="gray"
          disabled={drawn.length >= mostChosen}
          onClick={() => onChoose([...drawn, field])}
        >
          {field}
        </Button>
      ))}
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
