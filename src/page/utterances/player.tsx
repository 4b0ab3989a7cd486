import type { JSX, RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

const speeds = [0.5, 0.75, 1, 1.25, 1.5, 2] as const

export interface PlayerProps {
  readonly source: string
  readonly label: string
  readonly player: RefObject<HTMLAudioElement | null>
}

/** Plays a recording, at any speed, over and over if wanted. */
export function Player({ source, label, player }: PlayerProps): JSX.Element {
  const [speed, setSpeed] = useState(1)
  const [isLooping, setLooping] = useState(false)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    if (player.current !== null) player.current.playbackRate = speed
  }, [player, speed])
  if (isMissing) return <p class="quiet">The recording is not where this page looks for it.</p>
  return (
    <div class="player">
      {/* The transcript is below it, word by word. */}
      <audio
        ref={player}
        controls
        preload="none"
        src={source}
        loop={isLooping}
        aria-label={label}
        onError={() => setMissing(true)}
      >
        <track kind="captions" />
      </audio>
      <label>
        speed{' '}
        <select value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
          {speeds.map((each) => (
            <option value={each} key={each}>
              {each}×
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={isLooping}
          onChange={(event) => setLooping(event.currentTarget.checked)}
        />{' '}
        loop
      </label>
    </div>
  )
}
