import { Button, Text } from '@mantine/core';
import { IconCurrentLocation } from '@tabler/icons-react';
import { useState } from 'react';

/** A button that fills in the position of the browser. */
export function CurrentPosition({ onPlace }: { onPlace: (latitude: number, longitude: number) => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const ask = () => {
    if (!('geolocation' in navigator)) return setProblem('This browser does not provide a position.');
    setAsking(true);
    setProblem(null);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setAsking(false);
        onPlace(coords.latitude, coords.longitude);
      },
      () => {
        setAsking(false);
        setProblem('The browser did not provide a position. It needs your permission and HTTPS.');
      },
    );
  };
  return (
    <div>
      <Button
        variant="default"
        size="xs"
        loading={isAsking}
        leftSection={<IconCurrentLocation size={16} />}
        onClick={ask}
      >
        Set to current location
      </Button>
      {problem && (
        <Text size="sm" c="dimmed" mt={4} role="status">
          {problem}
        </Text>
      )}
    </div>
  );
}
