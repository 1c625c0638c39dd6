#pragma once

#include "highwater/error.h"
