import type { SpokenLanguage } from '../language-rules/spoken-language.ts'
import { indicSigns } from './indic-signs.ts'

export const tamil: SpokenLanguage = {
  id: 'tamil@1',
  version: 1,
  language: 'ta',
  purpose: 'Tamil speech: composed vowels, joiners, Tamil digits, currencies and units do not count.',
  letters: { folds: [['ஸ்ரீ', 'ஶ்ரீ']] },
  numbers: {
    signs: indicSigns({
      rupee: 'ரூபாய்',
      dollar: 'டாலர்',
      euro: 'யூரோ',
      pound: 'பவுண்டு',
      yen: 'யென்',
      percent: 'சதவீதம்',
      degrees: 'டிகிரி',
      celsius: 'டிகிரி செல்சியஸ்',
      minus: 'கழித்தல்',
      to: 'முதல்',
      and: 'மற்றும்',
    }),
    words: {
      cardinals:
        'பூஜ்ஜியம்|பூஜ்யம்=0 ஒன்று=1 இரண்டு=2 மூன்று=3 நான்கு=4 ஐந்து=5 ஆறு=6 ஏழு=7 எட்டு=8 ஒன்பது=9 பத்து=10 பதினொன்று=11 பன்னிரண்டு=12 ' +
        'பதிமூன்று|பதின்மூன்று=13 பதினான்கு=14 பதினைந்து=15 பதினாறு=16 பதினேழு=17 பதினெட்டு=18 பத்தொன்பது=19 இருபது=20 முப்பது=30 நாற்பது=40 ' +
        'ஐம்பது=50 அறுபது=60 எழுபது=70 எண்பது=80 தொண்ணூறு=90 நூறு=100 இருநூறு=200 ' +
        'முந்நூறு=300 நானூறு|நாநூறூ=400 ஐநூறு=500 அறுநூறு=600 எழுநூறு=700 எண்நூறு|எண்ணூறு=800 தொள்ளாயிரம்=900 ஆயிரம்=1000 லட்சம்~=100000 ' +
        'கோடி~=10000000',
    },
    counted: {
      points: '',
      units:
        'கிமீ கிலோமீட்டர்; மீ மீட்டர்; km கிலோமீட்டர்; kg கிலோகிராம்; m மீட்டர்; ' +
        'கி.மீ கிலோமீட்டர்; செ.மீ சென்டிமீட்டர்; கி.கி கிலோகிராம்; கி கிராம்; லி லிட்டர்; நிமி நிமிடம்|நிமிடங்கள்; கி.மீ/ம.நே கிலோமீட்டர் மணிநேரம்',
      counted: '',
    },
  },
  months: 'ஜன ஜனவரி; பிப் பிப்ரவரி; மார் மார்ச்; ஏப் ஏப்ரல்; ஆக ஆகஸ்ட்; செப் செப்டம்பர்; அக் அக்டோபர்; நவ நவம்பர்; டிச டிசம்பர்',
  apostrophe: 'goes',
  fillers: 'ம்ம் ஆம்ம்',
  phrases: `
சதவிகிதம்>சதவீதம்
ரூ>ரூபாய்
`,
  examples: {
    letters: ['௧௨௩ கௌ', '123 கௌ'],
    figures: ['25%', '25 சதவீதம் '],
    numbers: ['5 km', '5 கிலோமீட்டர்'],
    phrases: ['ரூ', 'ரூபாய்'],
  },
  quirks: [
    'Numbers whose parts change where they join (இருபத்தொன்று) stay words. Numbers of whole parts are one with their figures.',
  ],
}
