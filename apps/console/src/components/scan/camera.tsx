import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { bestCode } from './best-code.ts';
import { cameraProblem } from './camera-problem.ts';
import { codesIn } from './decode.ts';
import classes from './scan.module.css';

/** Between two pictures: enough for a hand that moves, and little work for the phone. */
const pauseMs = 150;

interface Props {
  onCode: (text: string) => void;
  onStop: () => void;
  onProblem: (sentence: string) => void;
}

/** The picture of the camera, until it shows a code. */
export function Camera({ onCode, onStop, onProblem }: Props) {
  const video = useRef<HTMLVideoElement>(null);
  const [isOn, setOn] = useState(false);
  const latest = useRef({ onCode, onProblem });
  useEffect(() => {
    latest.current = { onCode, onProblem };
  });

  useEffect(() => {
    let isOver = false;
    let stream: MediaStream | undefined;
    async function watch() {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      const element = video.current;
      if (isOver || !element) return end();
      element.srcObject = stream;
      await element.play();
      setOn(true);
      while (!isOver) {
        const code = bestCode(await codesIn(element));
        if (isOver) return;
        if (code !== undefined) return latest.current.onCode(code);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
    const end = () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    watch().catch((error: unknown) => {
      if (!isOver) latest.current.onProblem(cameraProblem(error));
    });
    return () => {
      isOver = true;
      end();
    };
  }, []);

  return (
    <Stack gap="xs">
      <div className={classes.camera}>
        {!isOn && <Loader size="sm" aria-label="Starting the camera" />}
        {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the camera has no sound */}
        <video ref={video} playsInline muted aria-label="Picture of the camera" hidden={!isOn} />
        {isOn && <div className={classes.corners} aria-hidden />}
      </div>
      <Group gap="sm">
        <Button variant="default" onClick={onStop}>
          Stop the camera
        </Button>
        <Text c="dimmed" size="sm">
          {isOn && 'Looking for a code. Hold it between the corners.'}
        </Text>
      </Group>
    </Stack>
  );
}
