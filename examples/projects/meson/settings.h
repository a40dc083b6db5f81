// Settings that are read when somebody first asks for them.
#pragma once
class Settings {
public:
    static const Settings &get();
    int size() const { return size_; }

private:
    Settings();
    int size_ = 0;
};
