import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const thai: SpokenLanguage = {
  id: 'thai@1',
  version: 1,
  language: 'th',
  purpose:
    'Thai speech: the order of marks, Thai digits, numbers, times, currencies and spaces do not count.',
  letters: {
    // Two vowels for one, and a tone mark before the vowel that it belongs after.
    rewrites: [
      [/เเ/g, 'แ'],
      [/([่-๋])ํา/g, 'ํ$1า'],
      [/ํ([่-๋])า/g, '$1ำ'],
      [/ํา/g, 'ำ'],
      [/ฯลฯ/g, ' และอื่นๆ'],
      [/ ?ๆ/g, 'ๆ'],
    ],
  },
  numbers: null,
  unspacedNumbers: {
    words: {
      cardinals:
        'ศูนย์=0 หนึ่ง|เอ็ด=1 สอง=2 สาม=3 สี่=4 ห้า=5 หก=6 เจ็ด=7 แปด=8 เก้า=9 สิบ=10 หนึ่งสิบ=10 ยี่สิบ=20 สามสิบ=30 สี่สิบ=40 ห้าสิบ=50 หกสิบ=60 เจ็ดสิบ=70 ' +
        'แปดสิบ=80 เก้าสิบ=90 ร้อย~=100 พัน~=1000 หมื่น~=10000 แสน~=100000 ล้าน~=1000000',
      tenTakesOnes: true,
    },
    signs: '฿ บาท; $ ดอลลาร์; us$ ดอลลาร์; € ยูโร; £ ปอนด์; ¥ เยน; ₹ รูปี; % เปอร์เซ็นต์; °c องศาเซลเซียส; ° องศา',
    units:
      'กม. กิโลเมตร; km กิโลเมตร; กก. กิโลกรัม; kg กิโลกรัม; ซม. เซนติเมตร; cm เซนติเมตร; ม. เมตร; ก. กรัม; ล. ลิตร; ' +
      'ชม. ชั่วโมง; วิ วินาที; กม./ชม. กิโลเมตรต่อชั่วโมง; km/h กิโลเมตรต่อชั่วโมง',
    forms: [
      [/(\d{1,2})[:.](\d{2}) ?น\.?(?![\u0e00-\u0e7f])/g, '$1:$2'],
      [/(?<![\d.:])0?(\d{1,2}):00(?![\d:])/g, '$1นาฬิกา'],
      [/(?<![\d.:])0?(\d{1,2}):0?(\d{1,2})(?![\d:])/g, '$1นาฬิกา$2นาที'],
      [/พ\.ศ\. ?/g, 'พุทธศักราช'],
      [/ค\.ศ\. ?/g, 'คริสต์ศักราช'],
      [/(?<![\d.\p{L}])[-−](?=\d)/gu, 'ลบ'],
      [/(?<=\d)\s?[-–~]\s?(?=\d)/g, 'ถึง'],
    ],
    small: ['ศูนย์', 'หนึ่ง', 'สอง', 'สาม', 'สี่', 'ห้า', 'หก', 'เจ็ด', 'แปด', 'เก้า', 'สิบ'],
  },
  months:
    'ม.ค มกราคม; ก.พ กุมภาพันธ์; มี.ค มีนาคม; เม.ย เมษายน; พ.ค พฤษภาคม; มิ.ย มิถุนายน; ก.ค กรกฎาคม; ส.ค สิงหาคม; ' +
    'ก.ย กันยายน; ต.ค ตุลาคม; พ.ย พฤศจิกายน; ธ.ค ธันวาคม',
  apostrophe: 'goes',
  fillers: '',
  isUnspaced: true,
  examples: {
    letters: ['๒๕ เเมว', '25 แมว'],
    figures: ['ยี่สิบห้าคน', '25คน'],
  },
  quirks: [
    'Numbers up to ten are written as words and larger ones as figures, whichever way they are written.',
  ],
}
