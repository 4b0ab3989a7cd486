import type { SpokenLanguage } from '../language-rules/spoken-language.ts'
import { indicSigns } from './indic-signs.ts'

export const telugu: SpokenLanguage = {
  id: 'telugu@1',
  version: 1,
  language: 'te',
  purpose: 'Telugu speech: composed vowels, joiners, Telugu digits, currencies and units do not count.',
  letters: {
    folds: [
      ['ఱ', 'ర'],
      ['న్\u200c', 'న్'],
    ],
  },
  numbers: {
    signs: indicSigns({
      rupee: 'రూపాయి|రూపాయలు',
      dollar: 'డాలర్|డాలర్లు',
      euro: 'యూరో|యూరోలు',
      pound: 'పౌండ్|పౌండ్లు',
      yen: 'యెన్',
      percent: 'శాతం',
      degrees: 'డిగ్రీలు',
      celsius: 'డిగ్రీ సెల్సియస్|డిగ్రీల సెల్సియస్',
      celsiusLetters: 'సెల్సి',
      minus: 'మైనస్',
      to: 'నుండి',
      and: 'మరియు',
      forms: [[/(\d+(?:\.\d+)?) ?కి\.మీ\.?\/గం/g, 'గంటకు $1 కి.మీ']],
    }),
    words: {
      cardinals:
        'సున్నా=0 ఒకటి=1 రెండు=2 మూడు=3 నాలుగు=4 ఐదు=5 ఆరు=6 ఏడు=7 ఎనిమిది=8 తొమ్మిది=9 పది=10 పదకొండు=11 పన్నెండు=12 పదమూడు=13 ' +
        'పద్నాలుగు=14 పదిహేను=15 పదహారు=16 పదిహేడు=17 పద్దెనిమిది=18 పంతొమ్మిది=19 ఇరవై=20 ముప్పై=30 నలభై=40 యాభై=50 అరవై=60 డెబ్బై=70 ' +
        'ఎనభై=80 తొంభై=90 వంద=100',
    },
    counted: {
      points: '',
      units:
        'కిమీ కిలోమీటరు|కిలోమీటర్లు; కి.మీ కిలోమీటరు|కిలోమీటర్లు; km కిలోమీటరు|కిలోమీటర్లు; మీ మీటరు|మీటర్లు; m మీటరు|మీటర్లు; సెం.మీ సెంటీమీటరు|సెంటీమీటర్లు; ' +
        'కి.గ్రా కిలోగ్రాము|కిలోగ్రాములు; kg కిలోగ్రాము|కిలోగ్రాములు; గ్రా గ్రాము|గ్రాములు; లీ లీటరు|లీటర్లు; గం గంట|గంటలు; నిమి నిమిషం|నిమిషాలు; సె సెకను|సెకన్లు; సెక సెకను|సెకన్లు',
      counted: '',
    },
  },
  months: 'జన జనవరి; ఫిబ్ర ఫిబ్రవరి; ఏప్రి ఏప్రిల్; ఆగ ఆగస్టు; సెప్టెం సెప్టెంబర్; అక్టో అక్టోబర్; నవం నవంబర్; డిసెం డిసెంబర్',
  apostrophe: 'goes',
  fillers: 'మ్మ్ ఆఁ',
  phrases: `
డా>డాక్టర్
రూ>రూపాయలు
`,
  examples: {
    letters: ['౧౨౩ ఱ', '123 ర'],
    figures: ['25%', '25 శాతం '],
    numbers: ['5 km', '5 కిలోమీటర్లు'],
    phrases: ['రూ', 'రూపాయలు'],
  },
  quirks: [
    'Compound numbers stay words where their parts change. Round numbers and those up to twenty are one with their figures.',
  ],
}
