import type { SpokenLanguage } from '../language-rules/spoken-language.ts'
import { indicSigns } from './indic-signs.ts'

export const marathi: SpokenLanguage = {
  id: 'marathi@1',
  version: 1,
  language: 'mr',
  purpose:
    'Marathi speech: joiners, composed letters, Marathi digits, numbers, currencies and units do not count.',
  letters: {
    rewrites: [[/ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])/g, 'ं']],
  },
  numbers: {
    signs: indicSigns({
      rupee: 'रुपया|रुपये',
      dollar: 'डॉलर',
      euro: 'युरो',
      pound: 'पाऊंड',
      yen: 'येन',
      percent: 'टक्के',
      degrees: 'अंश',
      celsius: 'अंश सेल्सिअस',
      celsiusLetters: 'से',
      minus: 'उणे',
      to: 'ते',
      and: 'आणि',
    }),
    words: {
      cardinals:
        'शून्य=0 एक?=1 दोन=2 तीन=3 चार=4 पाच=5 सहा=6 सात=7 आठ=8 नऊ=9 दहा=10 अकरा=11 बारा=12 तेरा=13 चौदा=14 पंधरा=15 सोळा=16 ' +
        'सतरा=17 अठरा=18 एकोणीस=19 वीस=20 एकवीस=21 बावीस=22 तेवीस=23 चोवीस=24 पंचवीस=25 तीस=30 चाळीस=40 पन्नास=50 साठ=60 ' +
        'सत्तर=70 ऐंशी=80 नव्वद=90 शंभर|एकशे=100 दोनशे=200 तीनशे=300 चारशे=400 पाचशे=500 सहाशे=600 सातशे=700 आठशे=800 नऊशे=900 ' +
        'हजार=1000 लाख~=100000 कोटी~=10000000',
    },
    counted: {
      points: 'दशांश',
      units:
        'किमी किलोमीटर; मी मीटर; किलो किलोग्रॅम; km किलोमीटर; kg किलोग्रॅम; ' +
        'सेंमी सेंटीमीटर; किग्रॅ किलोग्रॅम; ग्रॅ ग्रॅम; ली लीटर; ता तास; मिनि मिनिट|मिनिटे; से सेकंद; किप्रता किलोमीटर प्रति तास; किमी/तास किलोमीटर प्रति तास',
    },
  },
  months:
    'जाने जानेवारी; फेब्रु फेब्रुवारी; एप्रि एप्रिल; ऑग ऑगस्ट; सप्टें सप्टेंबर; ऑक्टो ऑक्टोबर; नोव्हें नोव्हेंबर; ' + 'डिसें डिसेंबर',
  apostrophe: 'goes',
  fillers: 'अं हं',
  phrases: `
डॉ>डॉक्टर
`,
  examples: {
    letters: ['१२३ हिन्दी', '123 हिंदी'],
    figures: ['25%', '25 टक्के '],
    numbers: ['पंचवीस', '25'],
    phrases: ['डॉ', 'डॉक्टर'],
  },
  quirks: ['Numbers between 26 and 99 that are one word stay words, but for round ones.'],
}
