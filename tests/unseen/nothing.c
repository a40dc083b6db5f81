int nothing;
