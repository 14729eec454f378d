/** The floor of B5: the clients of a model and of a container engine, imported and made, and nothing else. */
import Docker from 'dockerode';
import OpenAI from 'openai';
import { peakMemoryMb } from './peak-memory.ts';

const clients = [new OpenAI({ apiKey: 'bench' }), new Docker()];
console.log(JSON.stringify({ clients: clients.length, rssMb: peakMemoryMb() }));
