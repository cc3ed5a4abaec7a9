import type { FileImport, JobSelection, PartOf } from '@hilltop/contract';
import { Button, Checkbox, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../session/session.tsx';
import { startDownload } from '../download/start-download.ts';

interface Props {
  kind: FileImport['kind'];
  organizationID: string;
  selection: PartOf<JobSelection>;
  onClose: () => void;
}

/** A file of devices or gateways, with the columns that an import reads. */
export function ExportDialog({ kind, organizationID, selection, onClose }: Props) {
  const mayReadKeys = useMay()('firstSteps.addDevice') && kind === 'DEVICES';
  const [withKeys, setKeys] = useState(false);
  const [withSessions, setSessions] = useState(false);
  const [format, setFormat] = useState<'CSV' | 'NDJSON'>('CSV');
  const { search, filter = [], ids = [], except = [] } = selection;
  const isNarrowed = [search, ...filter, ...except].some(Boolean);
  const all = kind === 'DEVICES' ? 'devices' : 'gateways';
  const start = () => {
    void startDownload(kind, format, { organizationID, selection, ...(mayReadKeys && { withKeys, withSessions }) });
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={`Export ${all}`}>
      <Stack>
        <Text>
          The file has{' '}
          {ids.length > 0 ? `the selected ${all}` : isNarrowed ? `the ${all} that match` : `all ${all} of this list`}.
          An import reads the same columns.
        </Text>
        {mayReadKeys && (
          <>
            <Checkbox
              label="With root keys"
              description="With the used JoinNonces and DevNonces: devices join on another server. With keys their data can be decrypted. Keep the file secret."
              checked={withKeys}
              onChange={({ currentTarget: { checked } }) => setKeys(checked)}
            />
            <Checkbox
              label="With sessions"
              description="Session keys and frame-counters: devices continue on another server without a join."
              checked={withSessions}
              onChange={({ currentTarget: { checked } }) => setSessions(checked)}
            />
          </>
        )}
        <SegmentedControl
          aria-label="Format"
          w="fit-content"
          data={[
            { value: 'CSV', label: 'CSV' },
            { value: 'NDJSON', label: 'JSON lines' },
          ]}
          value={format}
          onChange={(value) => setFormat(value as 'CSV' | 'NDJSON')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={start}>Export</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
